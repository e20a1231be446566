/** Fields of resources. Each is declared once: its values, and its place in the forms of clients and files. Pure. */
import { z } from "zod";
import { settled } from "../input/input-fields.ts";

/** A field of a resource; `/v1` uses its own name. */
export interface Field<Value = unknown> {
  /** Type and bounds, with the sentences of `/v1` about bad values. */
  readonly schema: z.ZodType<Value>;
  /** Schema of the value in answers. Default: `schema`. */
  readonly shows?: z.ZodType;
  /** Value if a new resource does not name one. Without a default the field may be absent. */
  readonly default?: Value;
  readonly isRequired?: true;
  /** Cannot be changed after creation (in `/v1`). */
  readonly isSettled?: true;
  /** A change keeps the workers; a change of any other field replaces them. */
  readonly isInPlace?: true;
  /** The name, or the place in detail. Default: the table does not place it in REST v2. */
  readonly restV2?: string | RestV2Place<Value>;
  /** False: the table does not place it in GraphQL. Default: the same name. */
  readonly graphql?: GraphqlPlace<Value> | false;
  readonly file?: FileKey<Value>;
  /** Row of the settings page; one row per member if the value is an object. */
  readonly form?: FormRow | Readonly<Record<string, FormRow>>;
}

/** Place in bodies of the second version of REST. */
export interface RestV2Place<Value> {
  /** The name; a dot leads into an object. */
  readonly at: string;
  /** Required in a body that creates a resource. */
  readonly isRequired?: true;
  /** Not allowed in a body that changes a resource. */
  readonly isSettled?: true;
  /** Schema of the value in requests. Default: the schema of the field. */
  readonly takes?: z.ZodType;
  /** Schema of the value in answers. Default: the schema of the field. */
  readonly shows?: z.ZodType;
  read?(this: void, written: unknown): Value;
  write?(this: void, value: Value | undefined): unknown;
}

/** Form in GraphQL. Lists are texts with commas there, and variables are pairs. */
export interface GraphqlPlace<Value> {
  readonly name?: string;
  /** An empty text is a value; for most fields it means absent. */
  readonly takesEmpty?: true;
  /** An enum value in GraphQL, whatever the type here. */
  readonly isWord?: true;
  read?(this: void, sent: unknown): unknown;
  write?(this: void, value: Value | undefined): unknown;
}

export interface FileKey<Value> {
  /** Sentence for the documentation, in Markdown. */
  readonly means: string;
  /** Default in a config, if it differs from that of a new resource. */
  readonly default?: Value;
  /** Maximum of a number in a config, if it is lower there. */
  readonly max?: number;
}

/** Row of the settings page. */
export interface FormRow {
  readonly label: string;
  /** Unit of the value. */
  readonly note?: string;
  readonly help?: string;
  /** Values with their labels. Default: an input for a text, number or list. */
  readonly choices?: Readonly<Record<string, string>>;
  readonly only?: { readonly type?: string; readonly computeType?: string };
}

/** One row per field of `Thing`. */
export type Fields<Thing> = {
  readonly [Name in keyof Thing]-?: Field<Exclude<Thing[Name], undefined>>;
};

export type FieldTable = Readonly<Record<string, Field>>;

export type ValueOf<Row> = Row extends { readonly schema: z.ZodType<infer Value> } ? Value : never;

/** A field that every new resource has. */
type Sure = { readonly isRequired: true } | { readonly default: unknown };

export type Defaults<Table> = {
  readonly [
    Name in keyof Table as Table[Name] extends { readonly default: unknown } ? Name : never
  ]: ValueOf<Table[Name]>;
};

/** The fields that a change may name. */
export type Changed<Table> = {
  readonly [Name in keyof Table]?: ValueOf<Table[Name]> | undefined;
};

/** Defaults of new resources. */
export function defaultsOf<Table extends FieldTable>(table: Table): Defaults<Table> {
  const entries = Object.entries(table).filter(([, field]) => field.default !== undefined);
  return Object.fromEntries(
    entries.map(([name, field]) => [name, field.default]),
  ) as Defaults<Table>;
}

/** Defaults of resources declared in files. */
export function fileDefaultsOf<Table extends FieldTable>(table: Table): Defaults<Table> {
  const entries = Object.entries(table).filter(([, field]) => field.default !== undefined);
  return Object.fromEntries(
    entries.map(([name, field]) => [name, fileDefaultOf(field)]),
  ) as Defaults<Table>;
}

/** Value of a key that a file does not name. */
export function fileDefaultOf<Value>(field: Field<Value>): Value | undefined {
  return field.file?.default ?? field.default;
}

type CreationShape<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Sure
    ? z.ZodType<ValueOf<Table[Name]>>
    : z.ZodOptional<z.ZodType<ValueOf<Table[Name]>>>;
};

/** Shape of the `/v1` body that creates a resource. */
export function creationShape<Table extends FieldTable>(table: Table): CreationShape<Table> {
  return mapped(table, ({ schema, isRequired, default: byDefault }) => {
    if (isRequired) return schema;
    return byDefault === undefined ? schema.optional() : schema.default(byDefault);
  }) as CreationShape<Table>;
}

type ChangeShape<Table> = {
  readonly [Name in keyof Table]: z.ZodOptional<z.ZodType<ValueOf<Table[Name]>>>;
};

/**
 * Shape of the `/v1` body that changes a resource.
 * @param isOpen true: includes fields that cannot be changed after creation
 */
export function changeShape<Table extends FieldTable>(
  table: Table,
  isOpen = false,
): ChangeShape<Table> {
  return mapped(table, ({ schema, isSettled }) =>
    isSettled && !isOpen ? settled() : schema.optional(),
  ) as ChangeShape<Table>;
}

/** Shape of the fields in answers of `/v1`. */
export function answerShape(table: FieldTable): Readonly<Record<string, z.ZodType>> {
  return mapped(table, (field) => {
    const kind = field.shows ?? kindOf(field.schema);
    return field.isRequired || field.default !== undefined ? kind : kind.optional();
  });
}

/** Names of the fields that can be changed without new workers. */
export function namesInPlace(table: FieldTable): ReadonlySet<string> {
  return new Set(Object.keys(table).filter((name) => table[name]?.isInPlace));
}

/** A copy with these keys first. */
export function inOrder<Thing extends object>(names: readonly string[], thing: Thing): Thing {
  const first = names.filter((name) => Object.hasOwn(thing, name));
  return Object.assign(Object.fromEntries(first.map((name) => [name, undefined])), thing);
}

/** The type of a schema without its sentences; `isBounded` keeps its bounds. */
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
