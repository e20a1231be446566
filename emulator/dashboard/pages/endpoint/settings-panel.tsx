/** The settings of an endpoint, to be changed: what is wrong stands at its field. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { plural } from "../../format.ts";
import { Panel } from "../../components/panel.tsx";
import { Loading, Problem } from "../../components/states.tsx";
import { call, CallError } from "../../service/call.ts";
import type { Endpoint } from "../../service/generated/answers.ts";
import { useRead } from "../../service/use-read.ts";
import { complain, say, usePart } from "../../state/store.ts";
import {
  changedNames,
  changesOf,
  type Draft,
  type FieldProblems,
  fieldsOf,
  problemsAt,
  type SettingField,
  textOf,
} from "./settings-fields.ts";

const NO_PROBLEMS: FieldProblems = { at: {}, others: [] };

export function SettingsPanel({ id }: { readonly id: string }): JSX.Element {
  const path = `v1/endpoints/${encodeURIComponent(id)}`;
  const { value, problem, again } = useRead<"readEndpoint">(path, {
    concerns: (event) => event.type === "endpoint" && event.endpointId === id,
  });
  if (value === undefined) {
    return (
      <Panel title="Settings">
        {problem === undefined ? (
          <Loading what="the settings" />
        ) : (
          <Problem text={problem} onRetry={again} />
        )}
      </Panel>
    );
  }
  return <SettingsForm path={path} endpoint={value} onSaved={again} />;
}

interface FormProps {
  readonly path: string;
  readonly endpoint: Endpoint;
  readonly onSaved: () => void;
}

function SettingsForm({ path, endpoint, onSaved }: FormProps): JSX.Element {
  const isReadOnly = usePart((state) => state.session) === "read-only";
  const { draft, setDraft, problems, isSaving, save } = useSaving(path, endpoint, onSaved);
  const fields = fieldsOf(endpoint);
  const changed = changedNames(endpoint, draft);
  const rolling = fields.filter(({ name, rolls }) => rolls && changed.includes(name));
  return (
    <Panel title="Settings">
      <form
        class="settings"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <fieldset disabled={isReadOnly || isSaving}>
          {fields.map((field) => (
            <SettingInput
              key={field.name}
              field={field}
              value={draft[field.name] ?? textOf(endpoint, field.name)}
              isChanged={changed.includes(field.name)}
              problem={problems.at[field.name]}
              onType={(text) => setDraft({ ...draft, [field.name]: text })}
            />
          ))}
        </fieldset>
        {problems.others.map((sentence) => (
          <Problem key={sentence} text={sentence} />
        ))}
        {isReadOnly ? (
          <p class="quiet">This dashboard may only be read.</p>
        ) : (
          <div class="row">
            <button type="submit" class="button main" disabled={changed.length === 0 || isSaving}>
              Save{changed.length > 0 ? ` ${plural(changed.length, "change")}` : ""}
            </button>
            <Button isDisabled={changed.length === 0} onPress={() => setDraft({})}>
              Undo
            </Button>
            <span class="quiet" role="status">
              {rolling.length > 0 &&
                `All workers are replaced: this becomes version ${endpoint.version + 1}.`}
            </span>
          </div>
        )}
      </form>
    </Panel>
  );
}

function useSaving(path: string, endpoint: Endpoint, onSaved: () => void) {
  const [draft, setDraft] = useState<Draft>({});
  const [problems, setProblems] = useState(NO_PROBLEMS);
  const [isSaving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    setProblems(NO_PROBLEMS);
    try {
      const body = changesOf(endpoint, draft);
      const saved = await call<"updateEndpoint">(path, { method: "PATCH", body });
      say(
        saved.version === endpoint.version
          ? "saved"
          : `saved: its workers are replaced, this is version ${saved.version}`,
      );
      setDraft({});
      onSaved();
    } catch (error) {
      if (error instanceof CallError && error.problems.length > 0) {
        setProblems(problemsAt(error.problems, fieldsOf(endpoint)));
      } else complain(error);
    } finally {
      setSaving(false);
    }
  };
  return { draft, setDraft, problems, isSaving, save };
}

interface InputProps {
  readonly field: SettingField;
  readonly value: string;
  readonly isChanged: boolean;
  readonly problem: string | undefined;
  readonly onType: (text: string) => void;
}

function SettingInput({ field, value, isChanged, problem, onType }: InputProps): JSX.Element {
  const { name, label, kind, unit, help, choices = [] } = field;
  const id = `setting-${name.replace(".", "-")}`;
  const about = `${id}-about`;
  const shared = {
    id,
    value,
    "aria-describedby": about,
    "aria-invalid": problem !== undefined,
    onInput: (event: { currentTarget: { value: string } }) => onType(event.currentTarget.value),
  };
  return (
    <div class={`setting ${isChanged ? "changed" : ""}`}>
      <label for={id}>
        {label}
        {unit !== undefined && <span class="quiet"> ({unit})</span>}
      </label>
      {kind === "choice" ? (
        <select {...shared}>
          {choices.map(([choice, words]) => (
            <option key={choice} value={choice}>
              {words}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...shared}
          type="text"
          inputMode={kind === "number" ? "numeric" : "text"}
          autocomplete="off"
          spellcheck={false}
        />
      )}
      <p id={about} class={problem === undefined ? "quiet" : "problem-text"}>
        {problem ?? `${isChanged ? "changed; " : ""}${help ?? ""}`}
      </p>
    </div>
  );
}
