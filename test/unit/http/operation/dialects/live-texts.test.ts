/** Refusals below `/live` have the texts that clients of the live service match; those of `/v1` and `/v2` are ours. */
import { expect, test } from "vitest";
import { KEY, startTestHttp } from "../../http-harness.ts";

const RUNSYNC = ["POST", "/v2/echo/runsync?wait=29", { input: {} }] as const;

test.each([
  [
    "no key",
    "GET",
    "/v2/echo/health",
    undefined,
    "",
    "no token provided",
    "the API key is missing",
  ],
  ["no key", "GET", "/v1/templates", undefined, "", "no token provided", "the API key is missing"],
  [
    "a wrong key",
    "GET",
    "/v2/echo/health",
    undefined,
    "x",
    "invalid api key",
    "the API key is wrong",
  ],
  ["no endpoint", "GET", "/v2/no/health", undefined, KEY, "endpoint not found", 'no endpoint "no"'],
  [
    "no endpoint",
    "GET",
    "/v1/endpoints/no",
    undefined,
    KEY,
    "endpoint not found",
    'no endpoint "no"',
  ],
  [
    "no template",
    "GET",
    "/v1/templates/no",
    undefined,
    KEY,
    "template not found",
    'no template "no"',
  ],
  [
    "a wait out of bounds",
    ...RUNSYNC,
    KEY,
    "wait is invalid; must be between 1000 and 300000",
    "wait must be one integer from 1000 to 300000 (ms)",
  ],
] as const)("%s: %s %s", async (_, method, path, body, key, live, ours) => {
  await using service = await startTestHttp();
  const refused = async (base: string) => {
    const headers = { authorization: key };
    const { json } = await service.call(method, `${base}${path}`, { body, headers });
    return json as { readonly error: string; readonly message?: string; readonly detail?: string };
  };
  const { error, message = error, detail = error } = await refused("/live");
  expect([error, message, detail]).toEqual([live, live, live]);
  expect((await refused("")).error).toContain(ours);
});

test("a refusal names unknown keys of a body, each with a similar one, and all other problems", async () => {
  await using service = await startTestHttp();
  const body = { name: 1, imageName: "a/b:1", envv: {}, nothingLikeIt: 1 };
  const call = async (base: string) =>
    (await service.call("POST", `${base}/v1/templates`, { body })).json;
  const text = "Extra input keys provided in request body";
  expect(await call("/live")).toEqual({
    error: text,
    message: text,
    status: 400,
    problems: [
      "name must be a string of 1 to 191 characters; got 1",
      "key provided in request body which is not in input schema: 'envv' (Did you mean 'env'?)",
      "key provided in request body which is not in input schema: 'nothingLikeIt'",
    ],
  });
  expect(await call("")).toMatchObject({
    problems: expect.arrayContaining(['the key "envv" is unknown; did you mean env?']),
  });
});

test("an endpoint with a template for pods is refused like by the live service", async () => {
  await using service = await startTestHttp();
  const template = { name: "pods", imageName: "a/b:1" };
  const { json } = await service.call("POST", "/live/v1/templates", { body: template });
  const body = { templateId: (json as { id: string }).id };
  expect((await service.call("POST", "/live/v1/endpoints", { body })).json).toMatchObject({
    error: "Serverless endpoints cannot use pod templates. Please use a serverless template.",
  });
});

test("a queue operation on a load balancing endpoint is refused like by the live service", async () => {
  await using service = await startTestHttp();
  await service.test.addEndpoint("server", { type: "LOAD_BALANCING" });
  const { json } = await service.call("POST", "/live/v2/server/run", { body: { input: {} } });
  expect(json).toEqual({ error: "not allowed for QB API" });
});
