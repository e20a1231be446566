/**
 * Makes a form of a JSON Schema, and the JSON of the typed texts. Fields that are not simple are typed as JSON. Numbers stay as
 * they were typed.
 */
import { type RawNode, memberOf, writeRawJson, readRawJson } from "../../json/raw-json.ts";

export interface FormField {
  readonly name: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly kind: "text" | "number" | "flag" | "choice" | "json";
  readonly isRequired: boolean;
  /** The JSON of each choice. */
  readonly choices: readonly string[];
  /** The text at first: a string as it is, any other value as JSON. */
  readonly initial: string;
  readonly isLong: boolean;
}

/** Typed texts by the names of their fields. */
export type Typed = Readonly<Record<string, string>>;

type Schema = Readonly<Record<string, unknown>>;

/** Undefined for a schema that is no plain object: the whole input is typed as JSON then. */
export function fieldsOf(schema: unknown): readonly FormField[] | undefined {
  if (!isSchema(schema) || !isSchema(schema["properties"])) return undefined;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const fields = Object.entries(schema["properties"]).map(([name, property]) =>
    fieldOf(name, resolved(property, schema), required.includes(name)),
  );
  return fields.length === 0 ? undefined : fields;
}

function fieldOf(name: string, schema: Schema, isRequired: boolean): FormField {
  const { title, description, type, enum: values, const: only, default: value, maxLength } = schema;
  const choices = [values, only === undefined ? undefined : [only]].find(Array.isArray) ?? [];
  const kind = choices.length > 0 ? "choice" : kindOf(type);
  const isTold = value !== undefined;
  return {
    name,
    title: typeof title === "string" ? title : name,
    description: typeof description === "string" ? description : undefined,
    kind,
    isRequired,
    choices: choices.map((choice) => JSON.stringify(choice)),
    initial: isTold
      ? kind === "text" && typeof value === "string"
        ? value
        : JSON.stringify(value)
      : "",
    isLong:
      kind === "json" ||
      (kind === "text" && /prompt|text|content|message/iu.test(name) && maxLength !== 1),
  };
}

function kindOf(type: unknown): FormField["kind"] {
  const types = [type].flat().filter((name) => name !== "null");
  switch (types.length === 1 ? types[0] : undefined) {
    case "string":
      return "text";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "flag";
    default:
      return "json";
  }
}

/** Follows references within the schema, and takes the one alternative that is not `null`. */
function resolved(schema: unknown, root: Schema): Schema {
  if (!isSchema(schema)) return {};
  const { $ref, anyOf, oneOf } = schema;
  if (typeof $ref === "string" && $ref.startsWith("#/")) {
    const found = $ref
      .slice(2)
      .split("/")
      .reduce<unknown>((at, key) => (isSchema(at) ? at[key] : undefined), root);
    return isSchema(found) ? { ...found, ...schema, $ref: undefined } : {};
  }
  const several = [anyOf, oneOf].find(Array.isArray);
  const others = several?.filter((each) => isSchema(each) && each["type"] !== "null");
  return others?.length === 1
    ? { ...resolved(others[0], root), ...schema, anyOf: undefined }
    : schema;
}

/** The JSON of the input, or the problem of each field that has one. */
export function inputOf(
  fields: readonly FormField[],
  typed: Typed,
): { readonly json: string } | { readonly problems: Readonly<Record<string, string>> } {
  const problems: Record<string, string> = {};
  const members: string[] = [];
  for (const field of fields) {
    const text = typed[field.name] ?? field.initial;
    if (text === "" && !(field.isRequired && field.kind === "text")) {
      if (field.isRequired) problems[field.name] = "is required";
      continue;
    }
    const json = jsonOf(field, text);
    if (json === undefined) problems[field.name] = PROBLEMS[field.kind];
    else members.push(`${JSON.stringify(field.name)}:${json}`);
  }
  return Object.keys(problems).length > 0 ? { problems } : { json: `{${members.join(",")}}` };
}

const PROBLEMS = {
  text: "is required",
  number: "must be a number",
  flag: "must be true or false",
  choice: "must be one of the choices",
  json: "must be JSON",
} as const;

function jsonOf({ kind, choices }: FormField, text: string): string | undefined {
  if (kind === "text") return JSON.stringify(text);
  if (kind === "choice") return choices.includes(text) ? text : undefined;
  const node = readRawJson(text);
  const isRight = {
    number: node?.kind === "number",
    flag: node?.kind === "literal" && node.text !== "null",
    json: node !== undefined,
  };
  return node !== undefined && isRight[kind] ? writeRawJson(node) : undefined;
}

/** The texts of an input; undefined if it has a member without a field. */
export function typedOf(fields: readonly FormField[], input: RawNode): Typed | undefined {
  if (input.kind !== "object") return undefined;
  const known = new Set(fields.map(({ name }) => name));
  if (input.entries.some(([name]) => !known.has(name))) return undefined;
  const entries = fields.map(({ name, kind }): [string, string] => {
    const value = memberOf(input, name);
    if (value === undefined) return [name, ""];
    return [name, kind === "text" && value.kind === "string" ? value.value : writeRawJson(value)];
  });
  return Object.fromEntries(entries);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
