/** The language of clients of the live service: accepted and refused documents, and the messages. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  FIELDS_MAX,
  NESTING_MAX,
  TOKENS_MAX,
} from "../../../../../emulator/http/management/graphql/language/bounds.ts";
import { KEY, startTestHttp, type TestHttp } from "../../http-harness.ts";
import { ask, dataOf, messageOf, send, shownMessage } from "./graphql-harness.ts";

let service: TestHttp;
beforeAll(async () => {
  service = await startTestHttp();
});
afterAll(() => service[Symbol.asyncDispose]());

describe("an accepted document", () => {
  it.each([
    ["query { myself { id } }", undefined],
    ["{ myself { id } }", null],
    ["query myself {\n  # who\n  myself { id, }\n}", {}],
    ["query Unused($input: UpdateEndpointTemplateInput) { myself { id } }", {}],
  ])("%j with the variables %j gets the fields that it selects", async (query, variables) => {
    expect(await dataOf(service, query, { variables })).toEqual({ myself: { id: "user_local" } });
  });

  it("can have aliases, and one field twice", async () => {
    const query = '{ a: podTemplate(id: "no") { id } b: myself { id id email } }';
    expect(await dataOf(service, query)).toEqual({
      a: null,
      b: { id: "user_local", email: "user@localhost" },
    });
  });

  it("can have variables as arguments, and within written-out objects", async () => {
    const query = "query ($podId: String!) { pod(input: {podId: $podId}) { id } }";
    expect(await dataOf(service, query, { variables: { podId: "no" } })).toEqual({ pod: null });
    const byId = "query ($id: ID!) { podTemplate(id: $id) { id } }";
    expect(await dataOf(service, byId, { variables: { id: "no" } })).toEqual({ podTemplate: null });
  });

  it("can select one of several operations by its operationName", async () => {
    const query = "query A { myself { id } } query B { myself { email } }";
    const data = await dataOf(service, query, { operationName: "B" });
    expect(data).toEqual({ myself: { email: "user@localhost" } });
    expect(await messageOf(service, query)).toContain("operationName");
    expect(await messageOf(service, query, { operationName: "C" })).toContain("named C");
  });

  it("is answered in JSON", async () => {
    const { type } = await ask(service, "{ myself { id } }");
    expect(type).toBe("application/json; charset=utf-8");
  });
});

describe("a document is refused", () => {
  it.each([
    ["{ listings { id } }", "the query listings is not served by GraphQL here; served: myself, "],
    [
      "mutation { createNetworkVolume(input: {}) { id } }",
      "the mutation createNetworkVolume is not",
    ],
    ["mutation { podstop { id } }", "did you mean podStop?"],
    ["{ myself { pods { clusterId } } }", "the type Pod has no field clusterId here"],
    [
      "query ($input: ListingsInput!) { listings(input: $input) { id } }",
      "the query listings is not served",
    ],
    ["query ($x: Nothing2) { myself { id } }", 'Unknown type "Nothing2"'],
    ["{ __schema { types { name } } }", "introspection has been disabled"],
    ['{ __type(name: "Pod") { name } }', "introspection has been disabled"],
    ["subscription { pods { id } }", "subscriptions are not served by GraphQL here"],
    ["{ myself }", 'Field "myself" of type "User" must have a selection of subfields'],
    ["{ myself { id { x } } }", "must not have a selection"],
    ["{ myself { id }", "Syntax Error"],
    ['mutation { saveRegistryAuth(input: {name: "a"b"}) { id } }', "Syntax Error"],
    ["{ pod(input: {id: 1}) { id } }", 'Field "id" is not defined by type "PodFilter"'],
    ["{ podTemplate { id } }", 'argument "id" of type "String!" is required'],
    ["{ podTemplate(id: $id) { id } }", 'Variable "$id" is not defined'],
    ["type Pod { id: ID }", "must have one query or mutation"],
    ["", "Syntax Error"],
  ])("%j: %s", async (query, text) => {
    expect(await messageOf(service, query)).toContain(text);
  });

  it.each([
    [{ podId: 3 }, "String cannot represent a non string value: 3"],
    [{}, 'Variable "$podId" of required type "String!" was not provided'],
  ])("with the variables %j: %s", async (variables, text) => {
    const query = "query ($podId: String!) { pod(input: {podId: $podId}) { id } }";
    expect(await messageOf(service, query, { variables })).toContain(text);
  });
});

describe("a body is refused in the form of GraphQL", () => {
  it.each([
    ["{", "JSON"],
    ["[]", "the body must be an object; got an array"],
    ['"text"', "the body must be an object"],
    ["{}", "query is required and must be a GraphQL document"],
    ['{"query":1}', "query must be a GraphQL document; got 1"],
    ['{"query":"{myself{id}}","variables":[]}', "variables must be an object"],
    ['{"query":"{myself{id}}","operationName":1}', "operationName must be a string"],
    ["", ""],
  ])("%j: %s", async (body, text) => {
    expect(shownMessage(await send(service, body))).toContain(text);
  });

  it("a body of more than a megabyte is refused", async () => {
    const body = JSON.stringify({ query: `{ myself { id } } # ${"x".repeat(1_100_000)}` });
    expect(shownMessage(await send(service, body))).toContain("must be at most 1000000 bytes");
  });
});

describe("bounds", () => {
  it("limit the fields of a document", async () => {
    const fields = (count: number) => `{ myself { ${"id ".repeat(count - 1)} } }`;
    await dataOf(service, fields(FIELDS_MAX));
    expect(await messageOf(service, fields(FIELDS_MAX + 1))).toContain(
      `selects more than ${FIELDS_MAX} fields`,
    );
  });

  it("limit the nesting of selections and of values", async () => {
    const deep = `{ pod(input: ${"[".repeat(NESTING_MAX)}`;
    expect(await messageOf(service, deep)).toContain(`nested more than ${NESTING_MAX} deep`);
    const selection = "{ a ".repeat(100_000);
    expect(await messageOf(service, selection)).toContain(`nested more than ${NESTING_MAX} deep`);
  });

  it("limit the tokens of a document, but allow a thousand environment variables", async () => {
    const many = `{ myself { id } } ${"a ".repeat(TOKENS_MAX)}`;
    expect(await messageOf(service, many)).toContain(`more than ${TOKENS_MAX} tokens`);
    const env = Array.from({ length: 1_000 }, (_, at) => `{ key: "K${at}", value: "v" }`).join(
      ", ",
    );
    const input = `{ name: "env", imageName: "example/a:1", env: [${env}] }`;
    const { saveTemplate } = await dataOf(
      service,
      `mutation { saveTemplate(input: ${input}) { env { key value } } }`,
    );
    const shown = (saveTemplate as { env: { key: string }[] }).env;
    expect(shown).toHaveLength(1_000);
    expect(shown[999]).toEqual({ key: "K999", value: "v" });
  });
});

it("GraphQL is served by POST only, and below /live only", async () => {
  const headers = { authorization: KEY };
  const get = await fetch(`${service.url}/live/graphql?query={myself{id}}`, { headers });
  expect(get.status).toBe(405);
  expect(get.headers.get("allow")).toBe("POST");
  expect((await service.call("POST", "/graphql", { body: {} })).status).toBe(404);
});
