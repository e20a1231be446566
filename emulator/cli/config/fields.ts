/** The kinds of fields in a config, each with the error message for invalid values. */
import { z } from "zod";
import { closestName } from "../../../runtime/protocol/did-you-mean.ts";
import {
  type Field,
  type FieldTable,
  fileDefaultOf,
  type ValueOf,
} from "../../core/resources/fields.ts";
import { kindInWords, kindOfValue, valueInWords } from "../../core/input/problem-messages.ts";

type RawIssue = z.core.$ZodRawIssue;

/** The fields of a table that a config may contain. */
type Keys<Table> = {
  readonly [
    Name in keyof Table as Table[Name] extends { readonly file: unknown } ? Name : never
  ]: z.ZodExactOptional<z.ZodType<ValueOf<Table[Name]>, ValueOf<Table[Name]>>>;
};

/** @param own schemas of fields that need their own error message */
export function keysOf<Table extends FieldTable>(
  table: Table,
  own: { readonly [Name in keyof Table]?: z.ZodType },
): Keys<Table> {
  const keys = Object.entries(table).flatMap(([name, field]) => {
    const { file } = field;
    if (!file) return [];
    const schema = own[name] ?? writtenKind(field);
    return [[name, optional(schema, file.means, fileDefaultOf(field))]];
  });
  return Object.fromEntries(keys) as Keys<Table>;
}

function writtenKind({ schema, file }: Field): z.ZodType {
  if (schema instanceof z.ZodBoolean) return flag();
  if (schema instanceof z.ZodEnum) return choice(schema.options as [string, ...string[]]);
  if (schema instanceof z.ZodNumber)
    return integer(schema.minValue ?? 0, file?.max ?? schema.maxValue ?? Infinity);
  return schema instanceof z.ZodArray ? texts("strings") : z.string({ error: must("be a string") });
}

/** A reference to an environment variable, in place of the value itself. */
export interface FromEnv {
  readonly fromEnv: string;
}

/** Pattern of valid names of environment variables. */
const VARIABLE = /^[^=\0]+$/u;

/** Makes a key optional. @param description meaning of the key, in Markdown */
export function optional<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  byDefault?: unknown,
) {
  const given = byDefault === undefined ? {} : { default: byDefault };
  return schema.meta({ description, ...given }).exactOptional();
}

/** Makes an error message without the field name in front. */
export function must(what: string): (issue: RawIssue) => string {
  return ({ input }) => `must ${what}; got ${valueInWords(input)}`;
}

export function text(what: string): z.ZodString {
  const error = must(what);
  return z.string({ error }).min(1, { error });
}

export function matching(pattern: RegExp, what: string): z.ZodString {
  const error = must(`be ${what}`);
  return z.string({ error }).regex(pattern, { error });
}

export function flag(): z.ZodBoolean {
  return z.boolean({ error: must("be true or false") });
}

export function integer(min: number, max: number, unit = ""): z.ZodInt {
  const error = must(`be an integer from ${min} to ${max}${unit}`);
  return z.int({ error }).min(min, { error }).max(max, { error });
}

export function positive(unit: string): z.ZodNumber {
  const error = must(`be a number above 0${unit}`);
  return z.number({ error }).gt(0, { error });
}

export function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  const rule = values.join(values.length === 2 ? " or " : ", ");
  return z.enum(values, { error: ({ input }) => `must be ${rule}; got ${said(input, values)}` });
}

/** Describes the invalid value, and suggests the most similar known value. */
export function said(input: unknown, known: readonly string[]): string {
  const near = typeof input === "string" ? closestName(input, known) : undefined;
  return near === undefined ? valueInWords(input) : `${valueInWords(input)}; did you mean ${near}?`;
}

/** @param what plural name of the items */
export function arrayOf<Item extends z.ZodType>(item: Item, what: string): z.ZodArray<Item> {
  return z.array(item, { error: must(`be an array of ${what}`) });
}

export function texts(what: string): z.ZodArray<z.ZodString> {
  return arrayOf(z.string({ error: must("be a string") }), what);
}

/** An object with exactly the keys of `shape`. */
export function object<Shape extends z.core.$ZodLooseShape>(shape: Shape, what = "an object") {
  return z.strictObject(shape, { error: must(`be ${what}`) });
}

export function recordOf<Item extends z.ZodType>(item: Item, what = "") {
  return z.record(z.string(), item, { error: must(`be an object${what}`) });
}

/** A string, or a reference to an environment variable. */
export function value() {
  return z.union([z.string(), reference()], {
    error: must('be a string, or {"fromEnv": "NAME"} for one that a variable of that name holds'),
  });
}

/** A secret string, or a reference to an environment variable. No message shows the secret. */
export function secret() {
  return z.union([z.string().min(1), reference()], {
    error: ({ input }) =>
      `must be {"fromEnv": "NAME"}, the name of the variable that holds it, or a string; got ${input === undefined ? "nothing" : kindInWords(kindOfValue(input))}`,
  });
}

export function isFromEnv(written: unknown): written is FromEnv {
  return typeof written === "object" && written !== null && "fromEnv" in written;
}

function reference() {
  return z.strictObject({ fromEnv: z.string().regex(VARIABLE) });
}
