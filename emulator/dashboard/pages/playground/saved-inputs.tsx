/** The inputs saved in this browser, by endpoint and name: use one, save the current one, delete one. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { complain } from "../../state/store.ts";

interface SavedInputsProps {
  readonly endpointId: string;
  /** The current input; undefined while it has a problem. */
  readonly json: string | undefined;
  readonly onTake: (json: string) => void;
}

export function SavedInputs({ endpointId, json, onTake }: SavedInputsProps): JSX.Element {
  const [inputs, setInputs] = useState(() => savedInputs(endpointId));
  const [name, setName] = useState("");
  const save = () => {
    if (json === undefined || name.trim() === "") return;
    try {
      setInputs(saveInput(endpointId, { name: name.trim(), json }));
      setName("");
    } catch {
      complain(new Error("this browser stores no more inputs"));
    }
  };
  return (
    <div class="saved-inputs" role="group" aria-label="Saved inputs">
      {inputs.map((input) => (
        <span key={input.name} class="saved-input">
          <Button onPress={() => onTake(input.json)}>{input.name}</Button>
          <Button
            kind="bare"
            icon="close"
            label={`Delete ${input.name}`}
            onPress={() => setInputs(forgetInput(endpointId, input.name))}
          />
        </span>
      ))}
      <input
        type="text"
        aria-label="Name for this input"
        placeholder="name for this input"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && save()}
      />
      <Button isDisabled={json === undefined || name.trim() === ""} onPress={save}>
        Save input
      </Button>
    </div>
  );
}

interface SavedInput {
  readonly name: string;
  readonly json: string;
}

const KEPT_AS = "sv-inputs:";
/** Maximum inputs of an endpoint: the oldest go. */
const MOST = 30;

function savedInputs(endpointId: string): readonly SavedInput[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT_AS + endpointId) ?? "[]") as unknown;
    return Array.isArray(kept) ? kept.filter(isSaved) : [];
  } catch {
    return [];
  }
}

/** Replaces the input of that name. @throws Error if the browser stores nothing more */
function saveInput(endpointId: string, input: SavedInput): readonly SavedInput[] {
  const others = savedInputs(endpointId).filter(({ name }) => name !== input.name);
  return keep(endpointId, [...others, input].slice(-MOST));
}

function forgetInput(endpointId: string, name: string): readonly SavedInput[] {
  return keep(
    endpointId,
    savedInputs(endpointId).filter((input) => input.name !== name),
  );
}

function keep(endpointId: string, inputs: readonly SavedInput[]): readonly SavedInput[] {
  localStorage.setItem(KEPT_AS + endpointId, JSON.stringify(inputs));
  return inputs;
}

function isSaved(value: unknown): value is SavedInput {
  return (
    typeof value === "object" &&
    value !== null &&
    "name" in value &&
    typeof value.name === "string" &&
    "json" in value &&
    typeof value.json === "string"
  );
}
