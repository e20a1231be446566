/** Requests to every operation of the OpenAPI documents: mostly valid ones, some invalid. */
import fc from "fast-check";
import { anyCharacter } from "../any-character.ts";
import { ALL_DOCUMENTED, type DocumentedOperation } from "../unit/http/documented.ts";
import { KnownId } from "./known-ids.ts";
import { anyValue, fitting, misfitting, type Resolve, type Schema } from "./schema-arbitrary.ts";

export interface FuzzRequest {
  readonly method: string;
  /** Path in the document's form. */
  readonly path: string;
  /** Texts are put into the path unchanged. */
  readonly parameters: Readonly<Record<string, KnownId | string>>;
  readonly query: readonly (readonly [name: string, value: unknown])[];
  readonly key: "good" | "bare" | "wrong" | "none";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly json: unknown } | { readonly raw: string } | undefined;
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  /** False: the list is one value with commas. */
  readonly explode?: boolean;
  readonly schema: Schema;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

function resolverOf({ schemas }: DocumentedOperation): Resolve {
  return (reference) => schemas[reference.split("/").at(-1) ?? ""] ?? {};
}

/** Chooses `value` nearly always. */
function mostly<Value>(value: Value, ...others: fc.Arbitrary<Value>[]): fc.Arbitrary<Value> {
  return fc.oneof(
    { weight: 30, arbitrary: fc.constant(value) },
    ...others.map((arbitrary) => ({ weight: 1, arbitrary })),
  );
}

const oddSegment: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("", ".", "..", "%00", "%zz", "%2f", "a%2Fb", "__proto__", "*", "x".repeat(600)),
  fc.string({ unit: anyCharacter, maxLength: 40 }).map((text) => encodeURIComponent(text)),
);

/** Odd numbers choose new resources; if permanent ones were deleted as often, none would be left. */
function pathParameters(
  method: string,
  names: readonly string[],
): fc.Arbitrary<FuzzRequest["parameters"]> {
  const nth = fc.nat({ max: 99 }).map((any) => (method === "DELETE" && any > 2 ? any | 1 : any));
  const one = (name: string) =>
    fc.oneof<fc.WeightedArbitrary<KnownId | string>[]>(
      { weight: 25, arbitrary: nth.map((chosen) => new KnownId(name, chosen)) },
      { weight: 1, arbitrary: oddSegment },
    );
  return fc.record(Object.fromEntries(names.map((name) => [name, one(name)])));
}

function queryOf(
  parameters: readonly Parameter[],
  resolve: Resolve,
): fc.Arbitrary<FuzzRequest["query"]> {
  const values = parameters.map(({ name, schema, explode = true }) => {
    const good = fitting(schema, resolve, name).map((value) => {
      const all = Array.isArray(value) ? (value as unknown[]) : [value];
      return explode || all.length === 0 ? all : [all.join(",")];
    });
    const odd = fc.string({ maxLength: 12 }).map((text): unknown[] => [text]);
    const several = fc.array<unknown>(fc.string({ maxLength: 5 }), { minLength: 2, maxLength: 3 });
    return fc
      .oneof(
        { weight: 6, arbitrary: fc.constant<unknown[]>([]) },
        { weight: 6, arbitrary: good },
        { weight: 1, arbitrary: odd },
        { weight: 1, arbitrary: several },
      )
      .map((sent) => sent.map((value) => [name, value] as const));
  });
  // With rules between parameters, few requests with most of them are valid.
  return fc.oneof(
    { weight: 4, arbitrary: fc.tuple(...values).map((lists) => lists.flat()) },
    { weight: 1, arbitrary: fc.constant([]) },
  );
}

function bodyOf(
  operation: DocumentedOperation["operation"],
  resolve: Resolve,
): fc.Arbitrary<FuzzRequest["body"]> {
  const body = operation.requestBody as
    | { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
    | undefined;
  const raw = fc.string({ unit: anyCharacter, maxLength: 60 }).map((text) => ({ raw: text }));
  const schema = body?.content["application/json"]?.schema;
  if (!schema) return mostly<FuzzRequest["body"]>(undefined, raw);
  return fc.oneof(
    { weight: 10, arbitrary: fitting(schema, resolve).map((json) => ({ json })) },
    { weight: 4, arbitrary: misfitting(schema, resolve).map((json) => ({ json })) },
    { weight: 1, arbitrary: anyValue.map((json) => ({ json })) },
    { weight: 1, arbitrary: raw },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

function headersOf(operation: DocumentedOperation["operation"]) {
  const answers = operation.responses?.["200"] as { readonly content?: object } | undefined;
  const types = Object.keys(answers?.content ?? {});
  const accept =
    types.length > 1
      ? fc.constantFrom(...types, "*/*")
      : mostly("*/*", fc.string({ maxLength: 9 }));
  const printable = accept.map((text) => text.replaceAll(/[^\x20-\x7e]/g, "?"));
  const nothing: Readonly<Record<string, string>> = {};
  const odd = fc.constantFrom<Readonly<Record<string, string>>>(
    { "content-encoding": "gzip" },
    { "content-type": "text/plain" },
    { "last-event-id": "3" },
    { "last-event-id": "no such event" },
    { "x-forwarded-for": "10.0.0.1" },
  );
  return fc
    .tuple(printable, mostly(nothing, odd))
    .map(([text, more]) => ({ accept: text, ...more }));
}

function requestsOf(documented: DocumentedOperation): fc.Arbitrary<FuzzRequest> {
  const { method, path, operation } = documented;
  const resolve = resolverOf(documented);
  const parameters = (operation.parameters ?? []) as readonly Parameter[];
  const inPath = parameters.filter((each) => each.in === "path").map(({ name }) => name);
  return fc.record({
    method: mostly(method, fc.constantFrom(...METHODS)),
    path: fc.constant(path),
    parameters: pathParameters(method, inPath),
    query: queryOf(
      parameters.filter((each) => each.in === "query"),
      resolve,
    ),
    key: mostly<FuzzRequest["key"]>("good", fc.constantFrom("bare", "wrong", "none")),
    headers: headersOf(operation),
    body: bodyOf(operation, resolve),
  });
}

/** All operations, cached: creating one takes some milliseconds. */
const WEIGHTED = ALL_DOCUMENTED.map((documented) => ({
  name: nameOf(documented),
  weight: documented.operation.tags?.includes("jobs") || makes(documented) ? 4 : 1,
  arbitrary: requestsOf(documented),
}));

/**
 * Requests to all operations: more to those about jobs, which have more states, and to those that create something, because
 * most fail.
 * @param wanted operations that get as many as all others together: `GET /v1/templates`
 */
export function requestsTo(wanted: ReadonlySet<string> = new Set()): fc.Arbitrary<FuzzRequest> {
  const all = WEIGHTED.reduce((sum, { weight }) => sum + weight, 0);
  return fc.oneof(
    ...WEIGHTED.map(({ name, weight, arbitrary }) => ({
      weight: wanted.has(name) ? Math.ceil(all / wanted.size) : weight,
      arbitrary,
    })),
  );
}

/** Name in `wanted` and in tallies. */
export function nameOf({ method, path }: Pick<DocumentedOperation, "method" | "path">): string {
  return `${method} ${path}`;
}

function makes({ operation }: DocumentedOperation): boolean {
  return operation.responses?.["201"] !== undefined;
}
