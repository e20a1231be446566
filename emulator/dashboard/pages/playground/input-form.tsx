/** The input of a new job, with the saved inputs. It is a form made of the handler's schema, or JSON. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Button, Choices } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { JsonEditor } from "../../components/json-editor.tsx";
import { Panel } from "../../components/panel.tsx";
import { readRawJson, writeRawJson } from "../../json/raw-json.ts";
import { SavedInputs } from "./saved-inputs.tsx";
import { fieldsOf, type FormField, inputOf, type Typed, typedOf } from "./schema-form.ts";

interface InputFormProps {
  readonly endpointId: string;
  readonly schema: unknown;
  /** The JSON at first, or empty. */
  readonly firstInput: string;
  readonly isReadOnly: boolean;
  readonly onRun: (json: string) => void;
}

/** The typed input: texts of fields, or JSON. */
interface Draft {
  readonly typed: Typed;
  readonly json: string;
  readonly isForm: boolean;
  /** A change of this number replaces the text in the editor. */
  readonly version: number;
}

const NONE: Typed = {};

export function InputForm(props: InputFormProps): JSX.Element {
  const { endpointId, schema, firstInput, isReadOnly, onRun } = props;
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const [draft, setDraft] = useState(() => draftOf(fields, firstInput, 0));
  // The schema comes with the first worker, which may be after the page was opened.
  useEffect(() => setDraft((before) => formIfUntouched(before, fields, firstInput)), [fields]);
  const [isTried, setTried] = useState(false);
  const result = resultOf(fields, draft);
  const json = "json" in result ? result.json : undefined;
  const run = () => {
    setTried(true);
    if (json !== undefined && !isReadOnly) onRun(json);
  };
  const problems = isTried && "problems" in result ? result.problems : NONE;
  return (
    <Panel
      title="Input"
      actions={
        fields && <FormSwitch fields={fields} draft={draft} json={json} onSwitch={setDraft} />
      }
    >
      <form
        class="input-form"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <Fields
          fields={fields}
          draft={draft}
          problems={problems}
          onDraft={setDraft}
          onSubmit={run}
        />
        <RunLine isOff={isReadOnly} isForm={draft.isForm} problems={problems} onRun={run} />
      </form>
      <SavedInputs
        endpointId={endpointId}
        json={json}
        onTake={(text) => setDraft(draftOf(fields, text, draft.version + 1))}
      />
    </Panel>
  );
}

interface RunLineProps {
  readonly isOff: boolean;
  readonly isForm: boolean;
  readonly problems: Typed;
  readonly onRun: () => void;
}

function RunLine({ isOff, isForm, problems, onRun }: RunLineProps): JSX.Element {
  return (
    <div class="row">
      <Button kind="main" icon="play" isDisabled={isOff} onPress={onRun}>
        Run
      </Button>
      {!isForm && <kbd>Ctrl Enter</kbd>}
      <span class="problem-text" role="status">
        {problems === NONE ? "" : (problems[""] ?? "Some fields are not right.")}
      </span>
    </div>
  );
}

interface FieldsProps {
  readonly fields: readonly FormField[] | undefined;
  readonly draft: Draft;
  readonly problems: Typed;
  readonly onDraft: (change: (draft: Draft) => Draft) => void;
  readonly onSubmit: () => void;
}

function Fields({ fields, draft, problems, onDraft, onSubmit }: FieldsProps): JSX.Element {
  if (fields === undefined || !draft.isForm) {
    return (
      <JsonEditor
        key={draft.version}
        label="Input"
        text={draft.json}
        onChange={(json) => onDraft((before) => ({ ...before, json }))}
        onSubmit={onSubmit}
      />
    );
  }
  const type = (name: string, text: string) =>
    onDraft((before) => ({ ...before, typed: { ...before.typed, [name]: text } }));
  return (
    <>
      {fields.map((field, index) => (
        <Field
          key={field.name}
          id={`field-${index}`}
          label={field.title}
          {...fieldProps(field)}
          value={draft.typed[field.name] ?? field.initial}
          problem={problems[field.name]}
          onType={(text) => type(field.name, text)}
        />
      ))}
    </>
  );
}

function fieldProps({ kind, isRequired, isLong, choices, description }: FormField) {
  const notes = [isRequired ? "required" : "", kind === "json" ? "JSON" : ""].filter(
    (note) => note !== "",
  );
  const shared = { help: description, note: notes.length > 0 ? notes.join(", ") : undefined };
  if (kind === "choice" || kind === "flag") {
    const values = kind === "flag" ? ["true", "false"] : choices;
    const named = values.map((json) => [json, json.startsWith('"') ? textIn(json) : json] as const);
    return { ...shared, kind: "choice", choices: [["", "–"] as const, ...named] } as const;
  }
  return { ...shared, kind: isLong ? "lines" : kind === "number" ? "number" : "line" } as const;
}

function textIn(json: string): string {
  return String(JSON.parse(json));
}

interface FormSwitchProps {
  readonly fields: readonly FormField[];
  readonly draft: Draft;
  readonly json: string | undefined;
  readonly onSwitch: (draft: Draft) => void;
}

/** Keeps what was typed. */
function FormSwitch({ fields, draft, json, onSwitch }: FormSwitchProps): JSX.Element {
  const version = draft.version + 1;
  const toJson = () =>
    onSwitch({ ...draft, version, isForm: false, json: pretty(json ?? draft.json) });
  const toForm = () => onSwitch({ ...draftOf(fields, draft.json, version) });
  return (
    <Choices
      label="Input as"
      choices={[
        ["form", "Form"],
        ["json", "JSON"],
      ]}
      chosen={draft.isForm ? "form" : "json"}
      onChoose={(choice) => (choice === "form" ? toForm() : toJson())}
    />
  );
}

/** A form, if the form has a field for each member of the text; else JSON. */
function draftOf(fields: readonly FormField[] | undefined, text: string, version: number): Draft {
  const json = text === "" ? "{\n  \n}" : pretty(text);
  if (fields === undefined) return { typed: {}, json, isForm: false, version };
  const node = text === "" ? undefined : readRawJson(text);
  const typed = node === undefined ? {} : typedOf(fields, node);
  return { typed: typed ?? {}, json, isForm: typed !== undefined, version };
}

/** A form instead of JSON, unless the user typed or chose something. */
function formIfUntouched(
  draft: Draft,
  fields: readonly FormField[] | undefined,
  firstInput: string,
): Draft {
  const untouched = draftOf(undefined, firstInput, 0);
  if (draft.isForm || draft.version > 0 || draft.json !== untouched.json) return draft;
  const form = draftOf(fields, firstInput, 0);
  return form.isForm ? form : draft;
}

function resultOf(fields: readonly FormField[] | undefined, { typed, json, isForm }: Draft) {
  if (fields !== undefined && isForm) return inputOf(fields, typed);
  const node = readRawJson(json);
  return node === undefined
    ? { problems: { "": "This is not JSON yet." } as Typed }
    : { json: writeRawJson(node) };
}

function pretty(text: string): string {
  const node = readRawJson(text);
  return node === undefined ? text : writeRawJson(node, 2);
}
