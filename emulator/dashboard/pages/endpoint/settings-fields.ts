/** The settings of an endpoint that the form changes, and how the form becomes a change. Pure. */
import type { Endpoint } from "../../../../runtime/protocol/generated/answers.ts";
import { ENDPOINT_SETTINGS } from "../../service/generated/settings.ts";

/** An endpoint as the management interface answers it. */
export type Editable = Pick<Endpoint, "type" | "computeType"> & Readonly<Record<string, unknown>>;

export interface SettingField {
  /** As in the management interface; a dot leads into an object. */
  readonly name: string;
  readonly label: string;
  readonly kind: "line" | "number" | "choice";
  /** The text is a list with commas. */
  readonly isList?: boolean;
  /** The unit. */
  readonly note?: string;
  readonly help?: string;
  readonly choices?: readonly (readonly [value: string, label: string])[];
  /** A change replaces the workers. */
  readonly rolls?: boolean;
  readonly only?: Partial<Pick<Editable, "type" | "computeType">>;
}

const ALL_FIELDS: readonly SettingField[] = ENDPOINT_SETTINGS;

export function fieldsOf(
  endpoint: Pick<Editable, "type" | "computeType">,
): readonly SettingField[] {
  return ALL_FIELDS.filter(
    ({ only }) =>
      (only?.type ?? endpoint.type) === endpoint.type &&
      (only?.computeType ?? endpoint.computeType) === endpoint.computeType,
  );
}

/** Typed texts by the name of their field; untouched fields are absent. */
export type Draft = Readonly<Record<string, string>>;

export function textOf(endpoint: Editable, name: string): string {
  const value = valueAt(endpoint, name);
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

export function changedNames(endpoint: Editable, draft: Draft): readonly string[] {
  return Object.keys(draft).filter((name) => draft[name]?.trim() !== textOf(endpoint, name));
}

/** The body of the `PATCH`. A text that is not a number is sent as typed, for the service to refuse. */
export function changesOf(endpoint: Editable, draft: Draft): Readonly<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const name of changedNames(endpoint, draft)) {
    const field = ALL_FIELDS.find((each) => each.name === name);
    if (field === undefined) continue;
    const value = typed(field, draft[name] ?? "");
    const [of = "", member] = name.split(".");
    if (member === undefined) body[of] = value;
    else body[of] = { ...(body[of] as object | undefined), [member]: value };
  }
  return body;
}

function typed({ kind, isList }: SettingField, text: string): unknown {
  const wanted = text.trim();
  if (isList === true) {
    return wanted
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
  }
  return kind === "number" && wanted !== "" && !Number.isNaN(Number(wanted))
    ? Number(wanted)
    : wanted;
}

export interface FieldProblems {
  /** Problems by the name of the field; the sentences omit the name. */
  readonly at: Readonly<Record<string, string>>;
  /** Sentences about no field of the form. */
  readonly others: readonly string[];
}

/** Assigns the sentences of the service to their fields. */
export function problemsAt(
  sentences: readonly string[],
  fields: readonly SettingField[],
): FieldProblems {
  const at: Record<string, string> = {};
  const others: string[] = [];
  for (const sentence of sentences) {
    const field = fields.find(({ name }) => new RegExp(`^${name}(?![\\w.])`, "u").test(sentence));
    if (field === undefined) others.push(sentence);
    else at[field.name] = sentence.slice(field.name.length).trim();
  }
  return { at, others };
}

function valueAt(endpoint: Editable, name: string): unknown {
  return name
    .split(".")
    .reduce<unknown>(
      (value, part) =>
        typeof value === "object" && value !== null ? Reflect.get(value, part) : undefined,
      endpoint,
    );
}
