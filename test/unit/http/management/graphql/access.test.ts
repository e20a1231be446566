/** Access to GraphQL with a key, without one and with a wrong one, and the audit of changes. */
import { describe, expect, it } from "vitest";
import { makeKey, startTestHttp, type TestHttp, USER_KEY } from "../../http-harness.ts";
import { IS_FORWARDED } from "../../../two-replicas.ts";
import { ask, dataOf, messageOf } from "./graphql-harness.ts";

const ME = "{ myself { id } }";
const TEMPLATE = '{name: "t", imageName: "example/a:1", isServerless: true}';
const SAVE = `mutation { saveTemplate(input: ${TEMPLATE}) { id } }`;

const PUBLIC = [
  "{ gpuTypes { id } }",
  "{ dataCenters { id } }",
  "{ serverlessGpuPools { id } }",
] as const;

describe("a request without a key", () => {
  it("gets a null account without an error", async () => {
    await using service = await startTestHttp();
    expect(await dataOf(service, ME, { key: "" })).toEqual({ myself: null });
    expect(await dataOf(service, "{ myself { pods { id } } }", { key: "" })).toEqual({
      myself: null,
    });
  });

  it.each(PUBLIC)("is answered: %s", async (query) => {
    await using service = await startTestHttp();
    expect(Object.values(await dataOf(service, query, { key: "" }))[0]).not.toEqual([]);
  });

  it.each([
    SAVE,
    "{ podTemplates { id } }",
    '{ podTemplate(id: "echo") { id } }',
    '{ pod(input: {podId: "p"}) { id } }',
    'mutation { deleteEndpoint(id: "echo") }',
    'mutation { updateUserSettings(input: {pubKey: ""}) { id } }',
  ])("is refused with status 200: %s", async (query) => {
    await using service = await startTestHttp();
    expect(await messageOf(service, query, { key: "" })).toBe("no token provided");
    expect(service.test.engine.directory.findEndpoint("echo")).toBeDefined();
  });
});

describe("a key", () => {
  it("can be in the header, with or without Bearer, or in the query; the header takes precedence", async () => {
    await using service = await startTestHttp();
    const me = { myself: { id: "user_local" } };
    expect(await dataOf(service, ME)).toEqual(me);
    const bare = { key: "", headers: { authorization: USER_KEY } };
    expect(await dataOf(service, ME, bare)).toEqual(me);
    expect(await dataOf(service, ME, { key: "", search: `?api_key=${USER_KEY}` })).toEqual(me);
    expect((await ask(service, ME, { key: "wrong", search: `?api_key=${USER_KEY}` })).status).toBe(
      401,
    );
  });

  it.each(["wrong", "None"])(
    "that is wrong (%s) is refused with 401, even for public queries",
    async (key) => {
      await using service = await startTestHttp();
      for (const options of [{ key }, { key: "", search: `?api_key=${key}` }]) {
        for (const query of [ME, ...PUBLIC]) {
          const { status, json } = await ask(service, query, options);
          expect(status).toBe(401);
          expect(json).toEqual({ errors: [{ message: "invalid api key" }], data: null });
        }
      }
    },
  );

  it("in the query is never logged", async () => {
    await using service = await startTestHttp();
    await ask(service, "{", { key: "", search: "?api_key=a-secret-key" });
    expect(JSON.stringify(service.test.logged)).not.toContain("a-secret-key");
  });
});

describe("a key with the scope", () => {
  const READ = '{ myself { pubKey pods { id } endpoints { id } endpoint(id: "echo") { id } } }';

  async function withScope(
    service: TestHttp,
    scope: "jobs" | "read-only" | "management" | "workers",
  ) {
    const isOfEndpoint = scope === "jobs" || scope === "workers";
    const endpointIds = isOfEndpoint ? { endpointIds: ["echo"] } : {};
    const { key } = await makeKey(service, { name: scope, scope, ...endpointIds });
    return { key };
  }

  it("read-only can read but not change", async () => {
    await using service = await startTestHttp();
    const key = await withScope(service, "read-only");
    await dataOf(service, READ, key);
    expect(await messageOf(service, SAVE, key)).toContain("has the scope read-only");
    expect(await dataOf(service, "{ myself { podTemplates { id } } }")).toEqual({
      myself: { podTemplates: [] },
    });
  });

  it("management can read and change", async () => {
    await using service = await startTestHttp();
    const key = await withScope(service, "management");
    await dataOf(service, READ, key);
    const saved = { saveTemplate: { id: expect.any(String) as string } };
    expect(await dataOf(service, SAVE, key)).toEqual(saved);
  });

  it("jobs can read only the account's id, and change nothing, not even its endpoint", async () => {
    await using service = await startTestHttp();
    const key = await withScope(service, "jobs");
    expect(await dataOf(service, ME, key)).toEqual({ myself: { id: "user_local" } });
    for (const query of [
      SAVE,
      '{ podTemplate(id: "echo") { id } }',
      'mutation { saveEndpoint(input: {id: "echo", name: "other"}) { id } }',
      'mutation { deleteEndpoint(id: "echo") }',
    ])
      expect(await messageOf(service, query, key)).toContain("has the scope jobs");
    const { json } = await ask(service, READ, key);
    expect(json.errors).toHaveLength(4);
    expect(json.data).toEqual({
      myself: { pubKey: null, pods: null, endpoints: null, endpoint: null },
    });
  });

  it("workers cannot even read the account", async () => {
    await using service = await startTestHttp();
    const key = await withScope(service, "workers");
    expect(await messageOf(service, ME, key)).toContain("has the scope workers");
  });
});

describe("the audit", () => {
  async function noted(service: TestHttp): Promise<string[]> {
    const { json } = await service.call("GET", "/emulator/audit?limit=100");
    const { entries } = json as { entries: Record<string, unknown>[] };
    return entries.map(({ keyName, operation, subject, status }) =>
      [keyName, operation, subject, status].join(" | "),
    );
  }

  it("has an entry for each change under its field, even if it was refused, and no entry for reads", async () => {
    await using service = await startTestHttp();
    const { saveTemplate } = await dataOf(service, SAVE);
    const { id } = saveTemplate as { id: string };
    await ask(service, SAVE);
    await ask(service, ME);
    await ask(service, SAVE, { key: "" });
    await ask(service, "mutation { saveTemplate(input: {}) { id } }", { key: USER_KEY });
    const two = `mutation { a: deleteTemplate(templateName: "t") b: deleteTemplate(templateName: "t") }`;
    const { json } = await ask(service, two);
    expect(json.errors).toHaveLength(1);
    await ask(service, 'mutation { podStop(input: {podId: "none"}) { id } }');
    // Entries that several replicas wrote at one time have no order.
    expect((await noted(service)).toSorted()).toEqual(
      [
        `user | saveTemplate | ${id} | 200`,
        "user | saveTemplate |  | 400",
        "users | saveTemplate |  | 400",
        "user | deleteTemplate | t | 200",
        "user | deleteTemplate | t | 404",
        "user | podStop | none | 404",
      ].toSorted(),
    );
  });
});

it("has each of several changes, with results and refusals in the answer", async () => {
  await using service = await startTestHttp();
  const query = `mutation { a: saveTemplate(input: ${TEMPLATE}) { name } b: saveTemplate(input: ${TEMPLATE}) { name } }`;
  const { status, json } = await ask(service, query);
  expect(status).toBe(200);
  expect(json).toEqual({
    errors: [{ message: 'there is already a template named "t"' }],
    data: { a: { name: "t" }, b: null },
  });
});

// Another replica answers there, without the defect.
it.skipIf(IS_FORWARDED)(
  "a defect is answered with 500, like in every other operation",
  async () => {
    await using service = await startTestHttp();
    const { steps } = service.test.engine;
    const commit = steps.commit.bind(steps);
    steps.commit = () => {
      throw new Error("a defect");
    };
    const { status, json } = await ask(service, SAVE);
    steps.commit = commit;
    expect(status).toBe(500);
    expect(json).toMatchObject({ data: null, errors: [{}] });
  },
);
