/**
 * Arbitrary documents of GraphQL: valid by the schema, with values that are often wrong; and such documents
 * broken, deep or wide.
 */
import fc from "fast-check";
import {
  buildSchema,
  getNamedType,
  type GraphQLField,
  type GraphQLInputType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { INPUT_TYPES } from "../../emulator/http/management/graphql/language/input-types.ts";
import { OUTPUT_TYPES } from "../../emulator/http/management/graphql/language/output-types.ts";
import { anyBomb, withFragments } from "./graphql-fragments.ts";

export interface FuzzDocument {
  /** Number of the request. */
  readonly body: string;
  /** Whether its syntax and its fields are valid. */
  readonly isValid: boolean;
  /** Whether it is sent with a key. */
  readonly key: boolean;
}

const schema = buildSchema(`${OUTPUT_TYPES}${INPUT_TYPES}`);

/** Data for documents. */
export const fuzzSchema = schema;

const ids = ["echo", "none", "", "runpod-ubuntu"];
const names = [
  "a",
  "b",
  "echo",
  "x".repeat(300),
  "ü\\n",
  "AMPERE_16",
  "ADA_24,-NVIDIA L4",
  "NVIDIA L4",
];
const words = [
  "QB",
  "LB",
  "SECURE",
  "ALL",
  "REQUEST_COUNT",
  "QUEUE_DELAY",
  "FLASHBOOT",
  "OFF",
  "CPU",
];
const texts = [
  ...ids,
  ...names,
  ...words,
  "example/a:1",
  "80/http,22/tcp",
  "12.8",
  "EU-RO-1",
  "cpu3c-2-4",
];

const text = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...texts) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
);

const literalText = text.map((value) => JSON.stringify(value.replaceAll("\\n", "")));

/** A value as a document writes it. */
function literal(type: GraphQLInputType): fc.Arbitrary<string> {
  if (isNonNullType(type)) return literal(type.ofType);
  if (isListType(type))
    return fc.array(literal(type.ofType), { maxLength: 3 }).map((all) => `[${all.join(", ")}]`);
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    return fc
      .subarray(fields, { minLength: Math.min(1, fields.length) })
      .chain((some) => {
        const all = new Set([...some, ...fields.filter((field) => isNonNullType(field.type))]);
        return fc.tuple(
          ...[...all].map((field) => literal(field.type).map((value) => `${field.name}: ${value}`)),
        );
      })
      .map((written) => `{${written.join(", ")}}`);
  }
  return scalar(type.name);
}

function scalar(name: string): fc.Arbitrary<string> {
  switch (name) {
    case "Int":
      return fc.oneof(fc.integer({ min: -2, max: 20 }), fc.integer()).map(String);
    case "Boolean":
      return fc.boolean().map(String);
    case "Word":
      return fc.oneof(fc.constantFrom(...words), literalText, fc.constant("null"));
    case "Words":
      return fc.oneof(
        literalText,
        fc.array(literalText, { maxLength: 3 }).map((all) => `[${all.join()}]`),
      );
    default:
      return fc.oneof(
        { weight: 4, arbitrary: literalText },
        { weight: 1, arbitrary: fc.constant("null") },
      );
  }
}

function selection(field: GraphQLField<unknown, unknown>): fc.Arbitrary<string> {
  const args = fc.tuple(
    ...field.args.map((arg) =>
      literal(arg.type).map((value) =>
        isNonNullType(arg.type) && value === "null" ? `${arg.name}: ""` : `${arg.name}: ${value}`,
      ),
    ),
  );
  const type = getNamedType(field.type);
  const below = isObjectType(type)
    ? fc
        .subarray(Object.values(type.getFields()), { minLength: 1 })
        .chain((fields) => fc.tuple(...fields.slice(0, 6).map(selection)))
        .map((all) => ` { ${all.join(" ")} }`)
    : fc.constant("");
  return fc.tuple(args, below).map(([given, selected]) => {
    const written = given.length === 0 ? "" : `(${given.join(", ")})`;
    return `${field.name}${written}${selected}`;
  });
}

function operation(kind: "query" | "mutation"): fc.Arbitrary<string> {
  const type = kind === "query" ? schema.getQueryType() : schema.getMutationType();
  return fc
    .constantFrom(...Object.values(type?.getFields() ?? {}))
    .chain((field) => selection(field))
    .map((field) => `${kind} { ${field} }`);
}

export const queryDocument = operation("query");

const validDocument = fc.oneof(queryDocument, operation("mutation"));

/** A document with a part of its fields in fragments. */
const fragmentedDocument = fc
  .tuple(validDocument, fc.nat())
  .map(([document, seed]) => withFragments(schema, document, seed));

/** A document that is cut, with an insertion, or with a part twice. */
const brokenDocument = fc
  .tuple(
    validDocument,
    fc.nat(),
    fc.nat({ max: 6 }),
    fc.constantFrom(
      "",
      "{",
      "}",
      "(",
      '"',
      '"""',
      "...",
      "$x",
      "@include(if: true)",
      "#",
      "\u0000",
      "__typename",
      "null",
      ":",
      "[[[[",
    ),
  )
  .map(([document, at, length, put]) => {
    const from = at % (document.length + 1);
    return document.slice(0, from) + put + document.slice(from + length);
  });

const deepDocument = fc
  .tuple(fc.constantFrom("{ myself ", "[", "{a(b:", "(", "{"), fc.integer({ min: 1, max: 20_000 }))
  .map(([part, times]) => part.repeat(times));

const wideDocument = fc
  .tuple(
    fc.constantFrom("id ", "a: id ", "myself { pods { id } } ", "x "),
    fc.integer({ min: 1, max: 20_000 }),
  )
  .map(([part, times]) => `{ myself { ${part.repeat(times)} } }`);

const anyVariables = fc.option(
  fc.dictionary(
    fc.constantFrom("input", "id", "podId", "__proto__"),
    fc.jsonValue({ maxDepth: 2 }),
  ),
  { nil: undefined },
);

function asBody(document: fc.Arbitrary<string>, isValid: boolean): fc.Arbitrary<FuzzDocument> {
  return fc
    .record({ query: document, variables: anyVariables, key: fc.boolean() })
    .map(({ query, variables, key }) => ({
      body: JSON.stringify({ query, variables }),
      isValid,
      key,
    }));
}

const anyBody = fc
  .tuple(fc.oneof(fc.json(), fc.string(), fc.constant('{"query":null}')), fc.boolean())
  .map(([body, key]): FuzzDocument => ({ body, isValid: false, key }));

export const anyDocument: fc.Arbitrary<FuzzDocument> = fc.oneof(
  { weight: 10, arbitrary: asBody(validDocument, true) },
  { weight: 4, arbitrary: asBody(fragmentedDocument, true) },
  { weight: 5, arbitrary: asBody(brokenDocument, false) },
  { weight: 1, arbitrary: asBody(anyBomb, false) },
  { weight: 1, arbitrary: asBody(deepDocument, false) },
  { weight: 1, arbitrary: asBody(wideDocument, false) },
  { weight: 1, arbitrary: anyBody },
);
