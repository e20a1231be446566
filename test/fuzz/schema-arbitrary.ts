/** Values that fit a JSON schema of the OpenAPI document, and values that nearly do. */
import fc from "fast-check";
import { anyCharacter } from "../any-character.ts";
import { KnownId } from "./known-ids.ts";

/** The part of JSON schema that the document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

/** Resolves a `$ref`. */
export type Resolve = (reference: string) => Schema;

/** Values that match a schema. Strings with a name that ends in `Id` are mostly existing ids. */
export function fitting(schema: Schema, resolve: Resolve, name = ""): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return fitting(resolve(schema.$ref), resolve, name);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives && schema.properties) return oneOfObjects(schema, alternatives, resolve);
  if (alternatives) return fc.oneof(...alternatives.map((one) => fitting(one, resolve, name)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "object":
      return objects(schema, resolve);
    case "array":
      return fc.array(fitting(schema.items ?? {}, resolve, name.replace(/s$/, "")), {
        maxLength: 3,
      });
    case "string":
      return strings(schema, name);
    case "integer":
      return integers(schema);
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true, ...boundsOf(schema) });
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    default:
      return anyValue;
  }
}

/** Values that may be invalid: one member of a valid object is missing, too many or of another kind. */
export function misfitting(schema: Schema, resolve: Resolve): fc.Arbitrary<unknown> {
  return fc
    .tuple(fitting(schema, resolve), fc.nat(), fc.constantFrom("drop", "add", "change"), anyValue)
    .map(([value, nth, how, other]) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return other;
      const keys = Object.keys(value);
      const key = keys[nth % keys.length];
      if (how === "add" || key === undefined) return { ...value, [`unknown${nth % 3}`]: other };
      const { [key]: _dropped, ...rest } = value as Record<string, unknown>;
      return how === "drop" ? rest : { ...rest, [key]: other };
    });
}

export const anyValue: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 2 });

const memberNames = fc.stringMatching(/^[A-Z_]{1,8}$/);

/** Each value has the required members of one alternative, and none that only others have. */
function oneOfObjects(
  { properties = {}, required = [], ...schema }: Schema,
  alternatives: readonly Schema[],
  resolve: Resolve,
): fc.Arbitrary<unknown> {
  const ofOthers = alternatives.flatMap((each) => each.required ?? []);
  const variants = alternatives.map((each) => {
    const own = each.required ?? [];
    const known = Object.entries(properties).filter(
      ([key]) => own.includes(key) || !ofOthers.includes(key),
    );
    const fixed = { properties: Object.fromEntries(known), required: [...required, ...own] };
    return objects({ ...schema, ...fixed }, resolve);
  });
  return fc.oneof(...variants);
}

function objects(schema: Schema, resolve: Resolve): fc.Arbitrary<unknown> {
  const members = Object.entries(schema.properties ?? {}).map(([key, member]) => {
    const value = fitting(member, resolve, key);
    return [key, schema.required?.includes(key) ? value : seldom(value)] as const;
  });
  const known = fc.record(Object.fromEntries(members)).map(withoutAbsent);
  const { additionalProperties } = schema;
  if (additionalProperties === undefined || additionalProperties === false) return known;
  const extra = additionalProperties === true ? {} : additionalProperties;
  const others = fc.dictionary(memberNames, fitting(extra, resolve), { maxKeys: 2 });
  return fc.tuple(others, known).map(([more, given]) => ({ ...more, ...given }));
}

/** Optional members are absent: rules between members would refuse most objects with all of them. */
function seldom(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const absent = fc.constant<unknown>(undefined);
  return fc.oneof({ weight: 4, arbitrary: absent }, { weight: 1, arbitrary: value });
}

function withoutAbsent(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Members named in the schema. */
function boundsOf({ minimum: min, maximum: max }: Schema) {
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

function strings(schema: Schema, name: string): fc.Arbitrary<unknown> {
  const { examples } = schema;
  if (examples === undefined) return anyString(schema, name);
  return fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...examples) },
    { weight: 1, arbitrary: anyString(schema, name) },
  );
}

/** Cached, because creating it takes a tenth of a second. */
const webUrls = fc.webUrl({ validSchemes: ["http", "https"] });

function anyString(schema: Schema, name: string): fc.Arbitrary<unknown> {
  if (schema.format === "uri") return webUrls;
  if (schema.format === "date-time") {
    return fc
      .date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString());
  }
  if (schema.pattern !== undefined) {
    const { minLength: least = 0 } = schema;
    const matching = textsMatching(schema.pattern);
    return least === 0 ? matching : matching.filter((text) => text.length >= least);
  }
  const { minLength = 0, maxLength = 200 } = schema;
  const text = fc.string({ unit: anyCharacter, minLength, maxLength });
  if (!name.endsWith("Id")) return text;
  const id = fc.nat({ max: 99 }).map((nth) => new KnownId(name, nth));
  return fc.oneof({ weight: 6, arbitrary: id }, { weight: 1, arbitrary: text });
}

/** Cached, because creating one takes some 20 ms, and equal patterns are in many places. */
const matchings = new Map<string, fc.Arbitrary<string>>();

function textsMatching(pattern: string): fc.Arbitrary<string> {
  const made = matchings.get(pattern);
  if (made) return made;
  // Larger values mostly exceed limits that a pattern does not have.
  const matching = fc.stringMatching(new RegExp(pattern), { size: "xsmall" });
  matchings.set(pattern, matching);
  return matching;
}

/** Mostly the bounds and values near them. */
function integers({ minimum = -1_000, maximum = minimum + 100_000 }: Schema): fc.Arbitrary<number> {
  const near = Math.min(maximum, minimum + 3);
  return fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: minimum, max: near }) },
    { weight: 1, arbitrary: fc.integer({ min: minimum, max: maximum }) },
  );
}
