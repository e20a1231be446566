/** Kinds of fields in bodies of management operations, each with the sentence that describes a good value. */
import { z } from "zod";
import { closestName } from "../../../runtime/protocol/did-you-mean.ts";
import { IMAGE_NAME_PATTERN, imageNameSentence } from "../resources/templates/image-name.ts";
import { kindInWords, kindOfValue, valueInWords } from "./problem-messages.ts";
import { invalidRequest, type UnknownKey } from "../service-error.ts";

type RawIssue = z.core.$ZodRawIssue;

/** Maximum length of a name (spec, for endpoints). */
export const NAME_MAX_CHARACTERS = 191;

/** The sentence about a bad value, without its subject: `must be …; got …`, or that the field is missing. */
export function must(be: string): (issue: RawIssue) => string {
  return ({ input }) =>
    input === undefined
      ? `is required and must be ${be}`
      : `must be ${be}; got ${valueInWords(input)}`;
}

export function text(): z.ZodString {
  return z.string({ error: must("a string") });
}

/** A string of 1 to `max` characters. */
export function nonEmptyText(max: number): z.ZodString {
  const error = must(`a string of 1 to ${max} characters`);
  return z.string({ error }).min(1, { error }).max(max, { error });
}

/** A secret string of 1 to `max` characters: messages do not show it. */
export function secretText(max: number): z.ZodString {
  const error = ({ input }: RawIssue) =>
    `${input === undefined ? "is required and" : "(not shown here)"} must be a string of 1 to ${max} characters`;
  return z.string({ error }).min(1, { error }).max(max, { error });
}

/** A field that cannot be changed after creation. */
export function settled() {
  return z.undefined({ error: () => "is set at creation and cannot be changed" }).optional();
}

export function imageName(): z.ZodString {
  return z
    .string({ error: must("the name of a container image") })
    .superRefine((name, context) => {
      const message = imageNameSentence(name);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    })
    .meta({ pattern: IMAGE_NAME_PATTERN });
}

export function flag(): z.ZodBoolean {
  return z.boolean({ error: must("a boolean") });
}

/** An integer from `min` to `max`; without `max` up to the largest safe integer. `unit` appears in the sentence. */
export function integer(min: number, max?: number, unit = ""): z.ZodInt {
  const bounds =
    max === undefined ? `an integer of ${min} or more` : `an integer from ${min} to ${max}`;
  const error = must(`${bounds}${unit}`);
  const schema = z.int({ error }).min(min, { error });
  return max === undefined ? schema : schema.max(max, { error });
}

export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: must(`one of ${values.join(", ")}`) });
}

export function texts(): z.ZodArray<z.ZodString> {
  return arrayOf(text());
}

export function arrayOf<Item extends z.ZodType>(item: Item): z.ZodArray<Item> {
  return z.array(item, { error: must("an array") });
}

/** A list of items that match `pattern`; `what` names one item. Also accepts one string with commas (spec's examples). */
export function textsOrCommas(pattern: RegExp, what: string) {
  const item = z.string({ error: must(what) }).regex(pattern, { error: must(what) });
  const split = (value: unknown) =>
    typeof value === "string"
      ? value
          .split(",")
          .map((part) => part.trim())
          .filter((part) => part !== "")
      : value;
  const array = z.preprocess(split, z.array(item, { error: must(`an array, each item ${what}`) }));
  return array.meta({ override: alsoWithCommas });
}

/** Adds the string form to the schema, which describes only the list. */
function alsoWithCommas({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void {
  const { type, items } = jsonSchema;
  delete jsonSchema["type"];
  delete jsonSchema["items"];
  jsonSchema["anyOf"] = [
    { type, items },
    { type: "string", description: "Items separated by commas." },
  ];
}

/** Environment variables: names that a process can have, and string values. */
export function environment() {
  const shape = { type: "object", additionalProperties: { type: "string" } };
  return z
    .unknown()
    .meta(shape)
    .transform((value, context): Readonly<Record<string, string>> => {
      if (kindOfValue(value) !== "object") {
        context.addIssue({
          code: "custom",
          message: `must be an object of strings; got ${kindInWords(kindOfValue(value))}`,
        });
        return z.NEVER;
      }
      const env: Record<string, string> = {};
      for (const [name, entry] of Object.entries(value as object) as [string, unknown][]) {
        if (name === "" || /[=\0]/.test(name) || name === "__proto__") {
          context.addIssue({
            code: "custom",
            message: `has the name ${valueInWords(name)}, which is not valid for a variable`,
          });
        } else if (typeof entry === "string") env[name] = entry;
        else {
          const message = `must be a string; got ${valueInWords(entry)}`;
          context.addIssue({ code: "custom", path: [name], message });
        }
      }
      return env;
    });
}

/** The value that a dialect's word stands for. @throws ServiceError `invalid_request` */
export function valueOfWord<Value>(
  field: string,
  words: Readonly<Record<string, Value>>,
  word: unknown,
): Value {
  const value = typeof word === "string" && Object.hasOwn(words, word) ? words[word] : undefined;
  if (value !== undefined) return value;
  const known = Object.keys(words).join(", ");
  throw invalidRequest([`${field} must be one of ${known}; got ${valueInWords(word)}`]);
}

/** An object with exactly the keys of `shape`. */
export function fields<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: ({ input }) => `must be an object; got ${kindInWords(kindOfValue(input))}`,
  });
}

/**
 * Parses `value` by `schema`. `known` are the keys suggested for an unknown one.
 * @throws ServiceError `invalid_request` with one problem per mistake; an unknown key is one
 */
export function readFields<Output>(
  schema: z.ZodType<Output>,
  known: readonly string[],
  value: unknown,
): Output {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { issues } = result.error;
  const keys = issues.flatMap((issue) => unknownKeys(issue, known));
  const problems = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? unknownKeys(issue, known).map(({ problem }) => problem)
      : [`${subjectOf(issue)} ${issue.message}`],
  );
  throw invalidRequest(
    [...new Set(problems)],
    keys.length > 0 ? { type: "unknown_keys", keys } : undefined,
  );
}

function subjectOf({ path }: z.core.$ZodIssue): string {
  return path.length === 0 ? "the body" : path.join(".");
}

function unknownKeys(issue: z.core.$ZodIssue, known: readonly string[]): readonly UnknownKey[] {
  if (issue.code !== "unrecognized_keys") return [];
  const where = issue.path.length === 0 ? "" : ` of ${subjectOf(issue)}`;
  return issue.keys.map((key) => {
    const near = issue.path.length === 0 ? closestName(key, known) : undefined;
    const hint = near === undefined ? "" : `; did you mean ${near}?`;
    return { key, near, problem: `the key ${valueInWords(key)}${where} is unknown${hint}` };
  });
}
