/** The saved inputs of this browser: use one, save the current one, delete one. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { complain } from "../../state/store.ts";
import { forgetInput, savedInputs, saveInput } from "./saved-inputs.ts";

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
