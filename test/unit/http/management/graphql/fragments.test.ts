/** Fragments have the meaning of their fields where they are spread, and are bounded like written-out fields. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  FIELDS_MAX,
  NESTING_MAX,
  TOKENS_MAX,
} from "../../../../../emulator/http/management/graphql/language/bounds.ts";
import { fuzzSchema, queryDocument } from "../../../../fuzz/graphql-arbitrary.ts";
import { fragmentBomb, withFragments } from "../../../../fuzz/graphql-fragments.ts";
import { sized } from "../../../../setup/size.ts";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";
import { ask, dataOf, messageOf } from "./graphql-harness.ts";

let service: TestHttp;
beforeAll(async () => {
  service = await startTestHttp();
});
afterAll(() => service[Symbol.asyncDispose]());

const account = { id: "user_local", email: "user@localhost" };

it.each([
  ["{ myself { ...F } } fragment F on User { id email }"],
  ["{ myself { ... on User { id email } } }"],
  ["{ myself { id ... { email } } }"],
  [
    "{ ...Q } fragment Q on Query { myself { ...F } } fragment F on User { id ...G } fragment G on User { email }",
  ],
  [
    "query ($yes: Boolean = true) { myself { ...F @include(if: $yes) } } fragment F on User { id email pods @skip(if: $yes) { id } }",
  ],
])("%j is answered with the fields of its fragments", async (query) => {
  expect(await dataOf(service, query)).toEqual({ myself: account });
});

it("a mutation can take its fields and their variables from a fragment", async () => {
  const query =
    "mutation ($input: SaveTemplateInput) { ...M } fragment M on Mutation { saveTemplate(input: $input) { ...T } } fragment T on PodTemplate { name }";
  const input = { name: "of a fragment", imageName: "example/a:1" };
  const data = await dataOf(service, query, { variables: { input } });
  expect(data).toEqual({ saveTemplate: { name: "of a fragment" } });
});

it.each([
  ["{ myself { ...F } }", 'Unknown fragment "F"'],
  ["{ myself { id } } fragment F on User { id }", 'Fragment "F" is never used'],
  ["{ myself { ...F } } fragment F on User { id ...F }", "the fragment F spreads itself"],
  [
    "{ myself { ...A } } fragment A on User { ...B } fragment B on User { id ...A }",
    "the fragment A spreads itself",
  ],
  [
    "{ myself { ...F } } fragment F on User { id } fragment F on User { id }",
    "two fragments named F",
  ],
  ["{ myself { ...F } } fragment F on Pod { id }", "can never be of type"],
  ["{ myself { ... on Pod { id } } }", "can never be of type"],
  ["{ myself { ... on String { id } } }", "cannot condition on non composite type"],
  ["{ myself { ... on Nothing { id } } }", 'non composite type "Nothing"'],
  [
    "{ myself { ...F } } fragment F on User { clusterId }",
    "the type User has no field clusterId here",
  ],
  [
    "{ ...Q } fragment Q on Query { __schema { types { name } } }",
    "introspection has been disabled",
  ],
  ["{ ...Q } fragment Q on Query { listings { id } }", "the query listings is not served"],
  ["fragment F on User { id }", "must have one query or mutation"],
])("%j is refused: %s", async (query, text) => {
  expect(await messageOf(service, query)).toContain(text);
});

it("fields of fragments count at each spread, at the bound and one above it", async () => {
  // The root's field, then 19 spreads of an equal number of fields, and the rest written out.
  const each = 20;
  const spreads = Math.floor((FIELDS_MAX - 1) / (each + 1));
  const left = FIELDS_MAX - 1 - spreads * (each + 1);
  const document = (more: number) =>
    `{ myself { ${"...F ".repeat(spreads)} ${"id ".repeat(left + more)} } } fragment F on User { ${"id ".repeat(each)} }`;
  expect(await dataOf(service, document(0))).toEqual({ myself: { id: "user_local" } });
  expect(await messageOf(service, document(1))).toContain(`more than ${FIELDS_MAX} fields`);
});

it("levels of fragments count at each spread, at the bound and one above it", async () => {
  // Each fragment is a level, like the braces of the document and of its field.
  const levels = NESTING_MAX - 2;
  expect(await dataOf(service, fragmentBomb(levels, 1))).toEqual({ myself: { id: "user_local" } });
  expect(await messageOf(service, fragmentBomb(levels + 1, 1))).toContain(
    `nested more than ${NESTING_MAX} deep`,
  );
});

it.each([
  ["doubles at each of 25 levels", fragmentBomb(25, 2), `more than ${FIELDS_MAX} fields`],
  ["has 20 of the next at each of 100 levels", fragmentBomb(100, 20), "more than"],
  ["is a chain of 1,500", fragmentBomb(1_500, 1), `nested more than ${NESTING_MAX} deep`],
  ["ends where it began", fragmentBomb(20, 2, "...L0"), "the fragment L0 spreads itself"],
  [
    "is not used at all",
    `${fragmentBomb(25, 2)} query Other { myself { id } }`,
    `more than ${FIELDS_MAX} fields`,
  ],
])("a fragment that %s is refused", async (_, query, text) => {
  expect(await messageOf(service, query, { operationName: "Other" })).toContain(text);
});

it("values of fragments count at each spread", async () => {
  const versions = '"12.8", '.repeat(2_500);
  const gpu = `fragment G on GpuType { lowestPrice(input: { allowedCudaVersions: [${versions}] }) { minMemory } }`;
  const types = (count: number) =>
    Array.from({ length: count }, (_, at) => `t${at}: gpuTypes { ...G }`).join(" ");
  await dataOf(service, `{ ${types(7)} } ${gpu}`);
  expect(await messageOf(service, `{ ${types(8)} } ${gpu}`)).toContain(
    `more than ${TOKENS_MAX} tokens`,
  );
});

const DOCUMENTS = sized(60, 3_000);

it(`${DOCUMENTS} queries get equal answers with their fields in fragments`, async () => {
  const documents = fc.sample(queryDocument, { seed: 7, numRuns: DOCUMENTS });
  let moved = 0;
  for (const [seed, document] of documents.entries()) {
    const written = withFragments(fuzzSchema, document, seed);
    if (written.includes("...")) moved += 1;
    const plain = (await ask(service, document)).json;
    const { data, errors } = (await ask(service, written)).json;
    expect(JSON.stringify(data), written).toBe(JSON.stringify(plain.data));
    expect(errors === undefined, written).toBe(plain.errors === undefined);
  }
  expect(moved).toBeGreaterThan(DOCUMENTS / 2);
});
