/** The form with the settings of an endpoint. Each problem stands at its field. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { plural } from "../../format/format.ts";
import { Field } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { Answer, Problem } from "../../components/states.tsx";
import { call, CallError } from "../../service/call.ts";
import type { Endpoint } from "../../../../runtime/protocol/generated/answers.ts";
import { useRead } from "../../service/use-read.ts";
import { attempt, useReadOnly } from "../../state/store.ts";
import {
  changedNames,
  changesOf,
  type Draft,
  type FieldProblems,
  fieldsOf,
  problemsAt,
  textOf,
} from "./settings-fields.ts";

const NO_PROBLEMS: FieldProblems = { at: {}, others: [] };

export function SettingsPanel({ id }: { readonly id: string }): JSX.Element {
  const path = `v1/endpoints/${encodeURIComponent(id)}`;
  const endpoint = useRead<"readEndpoint">(path, {
    concerns: (event) => event.type === "endpoint" && event.endpointId === id,
  });
  return (
    <Panel title="Settings">
      <Answer of={endpoint} what="the settings">
        {(value) => <SettingsForm path={path} endpoint={value} onSaved={endpoint.again} />}
      </Answer>
    </Panel>
  );
}

interface FormProps {
  readonly path: string;
  readonly endpoint: Endpoint;
  readonly onSaved: () => void;
}

function SettingsForm({ path, endpoint, onSaved }: FormProps): JSX.Element {
  const isReadOnly = useReadOnly();
  const { draft, setDraft, problems, isSaving, save } = useSaving(path, endpoint, onSaved);
  const fields = fieldsOf(endpoint);
  const changed = changedNames(endpoint, draft);
  const rolling = fields.filter(({ name, rolls }) => rolls && changed.includes(name));
  return (
    <form
      class="settings"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <fieldset disabled={isReadOnly || isSaving}>
        {fields.map(({ name, ...field }) => (
          <Field
            key={name}
            {...field}
            id={`setting-${name.replace(".", "-")}`}
            value={draft[name] ?? textOf(endpoint, name)}
            isChanged={changed.includes(name)}
            problem={problems.at[name]}
            onType={(text) => setDraft({ ...draft, [name]: text })}
          />
        ))}
      </fieldset>
      {problems.others.map((sentence) => (
        <Problem key={sentence} text={sentence} />
      ))}
      {isReadOnly ? (
        <p class="quiet">This dashboard is read-only.</p>
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
              `Saving replaces all workers: this becomes version ${endpoint.version + 1}.`}
          </span>
        </div>
      )}
    </form>
  );
}

function useSaving(path: string, endpoint: Endpoint, onSaved: () => void) {
  const [draft, setDraft] = useState<Draft>({});
  const [problems, setProblems] = useState(NO_PROBLEMS);
  const [isSaving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    setProblems(NO_PROBLEMS);
    await attempt(async () => {
      try {
        const body = changesOf(endpoint, draft);
        const { version } = await call<"updateEndpoint">(path, { method: "PATCH", body });
        setDraft({});
        onSaved();
        return version === endpoint.version
          ? "saved"
          : `saved: the workers are replaced, this is version ${version}`;
      } catch (error) {
        if (!(error instanceof CallError) || error.problems.length === 0) throw error;
        setProblems(problemsAt(error.problems, fieldsOf(endpoint)));
        return undefined;
      }
    });
    setSaving(false);
  };
  return { draft, setDraft, problems, isSaving, save };
}
