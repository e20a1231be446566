/** A field of a form with its label, its meaning and its problem. */
import type { JSX } from "preact";

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly note?: string | undefined;
  readonly kind: "line" | "lines" | "number" | "choice";
  readonly choices?: readonly (readonly [value: string, word: string])[];
  readonly value: string;
  readonly help?: string | undefined;
  readonly problem: string | undefined;
  readonly isChanged?: boolean;
  readonly onType: (text: string) => void;
}

export function Field(props: FieldProps): JSX.Element {
  const { id, label, note, help, problem, isChanged = false } = props;
  return (
    <div class={`field ${isChanged ? "changed" : ""}`}>
      <label for={id}>
        {label}
        {note !== undefined && <span class="quiet"> ({note})</span>}
      </label>
      <Control {...props} />
      <p id={`${id}-about`} class="quiet">
        {problem !== undefined && <b class="problem-text">{problem}. </b>}
        {isChanged && problem === undefined && "changed; "}
        {help}
      </p>
    </div>
  );
}

function Control({ id, kind, choices = [], value, problem, onType }: FieldProps): JSX.Element {
  const shared = {
    id,
    value,
    "aria-describedby": `${id}-about`,
    "aria-invalid": problem !== undefined,
    onInput: (event: { currentTarget: { value: string } }) => onType(event.currentTarget.value),
  };
  if (kind === "choice") {
    return (
      <select {...shared}>
        {choices.map(([choice, word]) => (
          <option key={choice} value={choice}>
            {word}
          </option>
        ))}
      </select>
    );
  }
  if (kind === "lines") return <textarea {...shared} rows={3} spellcheck={false} />;
  return (
    <input
      {...shared}
      type="text"
      inputMode={kind === "number" ? "decimal" : "text"}
      autocomplete="off"
      spellcheck={false}
    />
  );
}
