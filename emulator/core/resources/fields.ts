/** Fields of resources, each declared once: what it holds, and where it stands in the forms that clients and files have for it. Pure. */
import { z } from "zod";
import { settled } from "../input/input-fields.ts";

/** One field of a resource; `/v1` has it under its own name. */
export interface Field<Value = unknown> {
  /** Kind and bounds, with the sentences of `/v1` that refuse anything else. */
  readonly schema: z.ZodType<Value>;
  /** Schema of the value in answers. Default: as `schema`. */
  readonly shows?: z.ZodType;
  /** Value of a new resource that does not name it. Without a default the field may be absent. */
  readonly default?: Value;
  readonly isRequired?: true;
  /** Set at creation and never changed (in `/v1`). */
  readonly isSettled?: true;
  /** A change leaves the workers alone; a change of any other field replaces them. */
  readonly isInPlace?: true;
  /** The name alone, or more about the place. Default: it is not there, or with others in a form of its own. */
  readonly restV2?: string | RestV2Place<Value>;
  /** False: GraphQL does not have it, or with others in a form of its own. Default: under the same name. */
  readonly graphql?: GraphqlPlace<Value> | false;
  readonly file?: FileKey<Value>;
  /** Rows of the members, where its value is an object. */
  readonly form?: FormRow | Readonly<Record<string, FormRow>>;
}

/** Where bodies of the second version of REST have it. */
export interface RestV2Place<Value> {
  /** The name; a dot leads into an object. */
  readonly at: string;
  /** A body that creates one has to name it. */
  readonly isRequired?: true;
  /** A body that changes one cannot name it. */
  readonly isSettled?: true;
  /** Schema of the value in requests. Default: the schema of the field. */
  readonly takes?: z.ZodType;
  /** Schema of the value in answers. Default: the schema of the field. */
  readonly shows?: z.ZodType;
  read?(this: void, written: unknown): Value;
  write?(this: void, value: Value | undefined): unknown;
}

/** How GraphQL has it; lists are texts with commas there, and variables are pairs. */
export interface GraphqlPlace<Value> {
  readonly name?: string;
  /** An empty text is a value, other than for most fields. */
  readonly takesEmpty?: true;
  /** A word of an enum, whatever its kind here. */
  readonly isWord?: true;
  read?(this: void, sent: unknown): unknown;
  write?(this: void, value: Value | undefined): unknown;
}

/** The key of a config. */
export interface FileKey<Value> {
  /** Its sentence in the documentation, in Markdown. */
  readonly means: string;
  /** Value of a config that does not name it, where it is another than that of a new resource. */
  readonly default?: Value;
  /** Maximum of a number, where it is lower in a config. */
  readonly max?: number;
}

/** Its row on the settings page. */
export interface FormRow {
  readonly label: string;
  /** The unit. */
  readonly note?: string;
  readonly help?: string;
  /** Values with what they are called; a text, a number or a list otherwise, as the field is. */
  readonly choices?: Readonly<Record<string, string>>;
  /** The endpoints that have it. */
  readonly only?: { readonly type?: string; readonly computeType?: string };
}

/** A row for each field of `Thing`. */
export type Fields<Thing> = {
  readonly [Name in keyof Thing]-?: Field<Exclude<Thing[Name], undefined>>;
};

export type FieldTable = Readonly<Record<string, Field>>;

/** What a field of a table holds. */
export type ValueOf<Row> = Row extends { readonly schema: z.ZodType<infer Value> } ? Value : never;

/** Every new resource has such a field. */
type Sure = { readonly isRequired: true } | { readonly default: unknown };

export type Defaults<Table> = {
  readonly [
    Name in keyof Table as Table[Name] extends { readonly default: unknown } ? Name : never
  ]: ValueOf<Table[Name]>;
};

/** What changes of such a resource name. */
export type Changed<Table> = {
  readonly [Name in keyof Table]?: ValueOf<Table[Name]> | undefined;
};

/** The defaults of new resources. */
export function defaultsOf<Table extends FieldTable>(table: Table): Defaults<Table> {
  const entries = Object.entries(table).filter(([, field]) => field.default !== undefined);
  return Object.fromEntries(
    entries.map(([name, field]) => [name, field.default]),
  ) as Defaults<Table>;
}

/** The defaults of resources that files declare. */
export function fileDefaultsOf<Table extends FieldTable>(table: Table): Defaults<Table> {
  const entries = Object.entries(table).filter(([, field]) => field.default !== undefined);
  return Object.fromEntries(
    entries.map(([name, field]) => [name, fileDefaultOf(field)]),
  ) as Defaults<Table>;
}

/** The value of a key that a file does not name. */
export function fileDefaultOf<Value>(field: Field<Value>): Value | undefined {
  return field.file?.default ?? field.default;
}

type CreationShape<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Sure
    ? z.ZodType<ValueOf<Table[Name]>>
    : z.ZodOptional<z.ZodType<ValueOf<Table[Name]>>>;
};

/** The body of `/v1` that creates one. */
export function creationShape<Table extends FieldTable>(table: Table): CreationShape<Table> {
  return mapped(table, ({ schema, isRequired, default: byDefault }) => {
    if (isRequired) return schema;
    return byDefault === undefined ? schema.optional() : schema.default(byDefault);
  }) as CreationShape<Table>;
}

type ChangeShape<Table> = {
  readonly [Name in keyof Table]: z.ZodOptional<z.ZodType<ValueOf<Table[Name]>>>;
};

/** The body of `/v1` that changes one. @param isOpen with the fields that are settled at creation */
export function changeShape<Table extends FieldTable>(
  table: Table,
  isOpen = false,
): ChangeShape<Table> {
  return mapped(table, ({ schema, isSettled }) =>
    isSettled && !isOpen ? settled() : schema.optional(),
  ) as ChangeShape<Table>;
}

/** What answers of `/v1` have of the fields. */
export function answerShape(table: FieldTable): Readonly<Record<string, z.ZodType>> {
  return mapped(table, (field) => {
    const kind = field.shows ?? kindOf(field.schema);
    return field.isRequired || field.default !== undefined ? kind : kind.optional();
  });
}

/** The names of the fields that are changed without new workers. */
export function namesInPlace(table: FieldTable): ReadonlySet<string> {
  return new Set(Object.keys(table).filter((name) => table[name]?.isInPlace));
}

/** The same with these keys first. */
export function inOrder<Thing extends object>(names: readonly string[], thing: Thing): Thing {
  const first = names.filter((name) => Object.hasOwn(thing, name));
  return Object.assign(Object.fromEntries(first.map((name) => [name, undefined])), thing);
}

/** The kind that a schema takes, without its sentences; with its bounds where `isBounded`. */
export function kindOf(schema: z.ZodType, isBounded = false): z.ZodType {
  if (schema instanceof z.ZodPipe) return kindOf(asSchema(schema.out), isBounded);
  if (schema instanceof z.ZodArray) return z.array(kindOf(asSchema(schema.element), isBounded));
  if (schema instanceof z.ZodEnum) return z.enum(schema.options as string[]);
  if (schema instanceof z.ZodBoolean) return z.boolean();
  if (schema instanceof z.ZodNumber) return isBounded ? boundedNumber(schema) : numberLike(schema);
  if (schema instanceof z.ZodString) return isBounded ? boundedText(schema) : z.string();
  throw new TypeError(`the kind of a ${schema.type} does not follow from its schema`);
}

function numberLike({ isInt }: z.ZodNumber): z.ZodNumber {
  return isInt ? z.int() : z.number();
}

function boundedNumber(schema: z.ZodNumber): z.ZodNumber {
  const { minValue, maxValue } = schema;
  const least = numberLike(schema).min(minValue ?? -Infinity);
  return maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER ? least : least.max(maxValue);
}

function boundedText(schema: z.ZodString): z.ZodString {
  const { minLength, maxLength } = schema;
  const { pattern } = z.toJSONSchema(schema);
  const formed = pattern === undefined ? z.string() : z.string().regex(new RegExp(pattern));
  const least = minLength === null ? formed : formed.min(minLength);
  return maxLength === null ? least : least.max(maxLength);
}

function asSchema(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new TypeError("no schema");
}

function mapped(
  table: FieldTable,
  make: (field: Field) => z.ZodType,
): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(Object.entries(table).map(([name, field]) => [name, make(field)]));
}
