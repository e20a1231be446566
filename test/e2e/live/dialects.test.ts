/**
 * A template and an endpoint created through each management interface: a job runs on them, and the other interfaces read them
 * correctly.
 */
import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Stage } from "../jobs/stage.ts";

/** Image name of a handler that is served from a file. */
const IMAGE = "sv.local/echo";

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.set({ endpoints: { echo: { handler: "echo.ts" } } });
});
afterAll(async () => stage[Symbol.asyncDispose]());

async function call(method: string, path: string, body?: object): Promise<Thing> {
  const { url, apiKey = "" } = stage.emulator;
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path} answered ${answer.status} ${text}`);
  return JSON.parse(text) as Thing;
}

interface Thing {
  readonly id: string;
  readonly [field: string]: unknown;
}

async function ask(query: string): Promise<Record<string, Thing>> {
  const answer = (await call("POST", "/live/graphql", { query })) as unknown as {
    readonly data: Record<string, Thing>;
  };
  assert.deepEqual(Object.keys(answer), ["data"], JSON.stringify(answer));
  return answer.data;
}

interface Made {
  readonly templateId: string;
  readonly endpointId: string;
}

/** Creates a template of that name and an endpoint of it. */
const MAKERS: Readonly<Record<string, (name: string) => Promise<Made>>> = {
  "/v1": async (name) => {
    const template = { name, imageName: IMAGE, isServerless: true, env: { MODEL: "small" } };
    const { id: templateId } = await call("POST", "/v1/templates", template);
    const endpoint = { name, templateId, gpuTypeIds: ["NVIDIA L4"], workersMax: 2, idleTimeout: 7 };
    return { templateId, endpointId: (await call("POST", "/v1/endpoints", endpoint)).id };
  },
  "REST v2": async (name) => {
    const template = { name, image: IMAGE, serverless: true, env: { MODEL: "small" } };
    const { id: templateId } = await call("POST", "/live/v2/templates", template);
    const endpoint = {
      ...{ name, templateId, type: "QUEUE", gpu: { pools: ["AMPERE_24"] } },
      ...{ workers: { max: 2, idleTimeout: 7 }, scaling: { type: "QUEUE_DELAY", queueDelay: 4 } },
    };
    return { templateId, endpointId: (await call("POST", "/live/v2/serverless", endpoint)).id };
  },
  GraphQL: async (name) => {
    const { saveTemplate } = await ask(
      `mutation { saveTemplate(input: { name: "${name}", imageName: "${IMAGE}", dockerArgs: "", containerDiskInGb: 10, volumeInGb: 0, env: [{ key: "MODEL", value: "small" }], isServerless: true }) { id } }`,
    );
    const templateId = saveTemplate?.id ?? "";
    const { saveEndpoint } = await ask(
      `mutation { saveEndpoint(input: { name: "${name}", templateId: "${templateId}", gpuIds: "AMPERE_24", workersMax: 2, idleTimeout: 7, scalerType: QUEUE_DELAY, scalerValue: 4 }) { id } }`,
    );
    return { templateId, endpointId: saveEndpoint?.id ?? "" };
  },
};

/** Name, workers and container of an endpoint in each interface. */
const READERS: Readonly<Record<string, (endpointId: string) => Promise<object>>> = {
  "/v1": async (id) => {
    const read = await call("GET", `/v1/endpoints/${id}?includeTemplate=true`);
    const { imageName: image, env } = read["template"] as Thing;
    const { name, workersMax: max, idleTimeout } = read;
    return { name, max, idleTimeout, image, env };
  },
  "REST v2": async (id) => {
    const { name, workers, image, env } = await call("GET", `/live/v2/serverless/${id}`);
    const { max, idleTimeout } = workers as Record<string, number>;
    return { name, max, idleTimeout, image, env };
  },
  GraphQL: async (id) => {
    const { myself } = await ask(
      `query { myself { endpoint(id: "${id}") { name workersMax idleTimeout templateId env { key value } } } }`,
    );
    const endpoint = myself?.["endpoint"] as Thing;
    const { podTemplate } = await ask(
      `query { podTemplate(id: "${String(endpoint["templateId"])}") { imageName } }`,
    );
    const pairs = endpoint["env"] as readonly { readonly key: string; readonly value: string }[];
    const { name, workersMax: max, idleTimeout } = endpoint;
    const env = Object.fromEntries(pairs.map(({ key, value }) => [key, value]));
    return { name, max, idleTimeout, image: podTemplate?.["imageName"], env };
  },
};

describe.each(Object.keys(MAKERS))("a template and an endpoint created through %s", (maker) => {
  test("run jobs, and every other interface shows them correctly", async () => {
    const name = `made-through-${maker.replaceAll(/\W/gu, "-").toLowerCase()}`;
    const { endpointId = "" } = (await MAKERS[maker]?.(name)) ?? {};
    const job = await stage.endpoint(endpointId).runSync({ from: maker });
    expect(job).toMatchObject({ status: "COMPLETED", output: { from: maker } });
    const expected = { name, max: 2, idleTimeout: 7, image: IMAGE, env: { MODEL: "small" } };
    for (const [reader, read] of Object.entries(READERS))
      expect(await read(endpointId), `read through ${reader}`).toEqual(expected);
  });
});
