/** The fields of a form made of a schema. */
import type { JSX } from "preact";
import type { FormField, Typed } from "./schema-form.ts";

interface FormFieldsProps {
  readonly fields: readonly FormField[];
  readonly typed: Typed;
  readonly problems: Typed;
  readonly onType: (name: string, text: string) => void;
}

export function FormFields({ fields, typed, problems, onType }: FormFieldsProps): JSX.Element {
  return (
    <>
      {fields.map((field, index) => (
        <FieldLine
          key={field.name}
          id={`field-${index}`}
          field={field}
          text={typed[field.name] ?? field.initial}
          problem={problems[field.name]}
          onType={(text) => onType(field.name, text)}
        />
      ))}
    </>
  );
}

interface FieldLineProps {
  readonly id: string;
  readonly field: FormField;
  readonly text: string;
  readonly problem: string | undefined;
  readonly onType: (text: string) => void;
}

function FieldLine({ id, field, text, problem, onType }: FieldLineProps): JSX.Element {
  const { title, description, isRequired, kind } = field;
  return (
    <div class="field">
      <label for={id}>
        {title}
        {isRequired ? <span class="quiet"> (needed)</span> : null}
        {kind === "json" && <span class="quiet"> (JSON)</span>}
      </label>
      <Control id={id} field={field} text={text} isWrong={problem !== undefined} onType={onType} />
      <p id={`${id}-more`} class="quiet">
        {problem !== undefined && <b class="problem-text">{problem}. </b>}
        {description}
      </p>
    </div>
  );
}

interface ControlProps extends Omit<FieldLineProps, "problem"> {
  readonly isWrong: boolean;
}

function Control({ id, field, text, isWrong, onType }: ControlProps): JSX.Element {
  const { kind, choices, isLong } = field;
  const common = { id, "aria-describedby": `${id}-more`, "aria-invalid": isWrong };
  if (kind === "choice" || kind === "flag") {
    const options = kind === "flag" ? ["true", "false"] : choices;
    return (
      <select {...common} value={text} onChange={(event) => onType(event.currentTarget.value)}>
        <option value="">–</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option.startsWith('"') ? (JSON.parse(option) as string) : option}
          </option>
        ))}
      </select>
    );
  }
  if (isLong) {
    return (
      <textarea
        {...common}
        rows={3}
        spellcheck={false}
        value={text}
        onInput={(event) => onType(event.currentTarget.value)}
      />
    );
  }
  return (
    <input
      {...common}
      type="text"
      inputMode={kind === "number" ? "decimal" : "text"}
      autocomplete="off"
      spellcheck={false}
      value={text}
      onInput={(event) => onType(event.currentTarget.value)}
    />
  );
}
