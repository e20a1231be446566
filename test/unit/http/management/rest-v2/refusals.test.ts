/** REST v2 refuses with problem documents in all cases, and leaves jobs alone. */
import { expect, test } from "vitest";
import { storeEndpoint } from "../../../stored-records.ts";
import { REST_V2_DOCUMENT } from "../../documented.ts";
import { startTestHttp } from "../../http-harness.ts";

test.each([
  ["", "missing bearer token"],
  ["Bearer wrong", "invalid api key"],
])("the key %j is refused with a problem", async (authorization, detail) => {
  await using service = await startTestHttp();
  const { status, headers, json } = await service.call("GET", "/live/v2/pods/x/y/z", {
    headers: { authorization },
  });
  expect(status).toBe(401);
  expect(headers["content-type"]).toBe("application/problem+json");
  expect(headers["www-authenticate"]).toBe("Bearer");
  expect(json).toEqual({ title: "Unauthorized", status: 401, detail });
});

test.each([
  ["POST", "/live/v2/clusters"],
  ["POST", "/live/v2/serverless/echo/builds"],
  ["POST", "/live/v2/registries/delegations"],
  ["POST", "/live/v2/account/secrets"],
] as const)("%s %s is refused as not supported", async (method, path) => {
  await using service = await startTestHttp();
  const { status, headers, json } = await service.call(method, path, { body: {} });
  expect(status).toBe(501);
  expect(headers["content-type"]).toBe("application/problem+json");
  expect(json).toEqual({
    title: "Not Implemented",
    status: 501,
    detail: expect.stringContaining(`${method} ${path} is not served: `),
  });
});

test.each([
  ["/live/v2/clusters", "clusters"],
  ["/live/v2/serverless/echo/builds", "builds"],
  ["/live/v2/registries/delegations", "delegations"],
  ["/live/v2/account/secrets", "secrets"],
])("GET %s without any resources is an empty list", async (path, list) => {
  await using service = await startTestHttp();
  const { status, json } = await service.call("GET", path);
  expect(status).toBe(200);
  expect(json).toEqual({ [list]: [], pagination: { nextCursor: null, hasNextPage: false } });
  expect((await service.call("GET", `${path}?limit=0`)).status).toBe(422);
});

test.each([
  ["GET", "/live/v2/clusters/c/pods", "there is nothing at /live/v2/clusters/c/pods: "],
  ["GET", "/live/v2/serverless/echo/builds/b", "images are not built from a repository here"],
  ["DELETE", "/live/v2/registries/delegations/d", "cloud registries are not asked"],
  ["PATCH", "/live/v2/account/secrets/s", "the account has no secrets"],
  ["GET", "/live/v2/serverless/nowhere/builds", "endpoint not found"],
] as const)("%s %s is 404: %s", async (method, path, detail) => {
  await using service = await startTestHttp();
  const { status, json } = await service.call(method, path);
  expect(status).toBe(404);
  expect(json).toMatchObject({ title: "Not Found", detail: expect.stringContaining(detail) });
});

test("an unknown path gets a problem below the parts of REST v2, and the usual answer elsewhere", async () => {
  await using service = await startTestHttp();
  const below = await service.call("GET", "/live/v2/pods/a/unknown/part");
  expect(below).toMatchObject({ status: 404, json: { title: "Not Found", status: 404 } });
  expect(below.headers["content-type"]).toBe("application/problem+json");
  const others = await service.call("GET", "/live/v2/other/one");
  expect(others).toMatchObject({ status: 404, json: { error: expect.any(String) } });
  expect((await service.call("GET", "/v2/templates")).json).toMatchObject({ code: "not_found" });
});

test("a method that a path does not support is answered with the supported methods", async () => {
  await using service = await startTestHttp();
  const { status, headers, json } = await service.call("POST", "/live/v2/openapi.json");
  expect(status).toBe(405);
  expect(headers["allow"]).toBe("GET");
  expect(json).toMatchObject({ title: "Method Not Allowed", status: 405 });
});

test("a body announced as too long is refused before the key is checked", async () => {
  await using service = await startTestHttp();
  const answer = await service.raw(
    `GET /live/v2/openapi.json HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 102401\r\n\r\n${"x".repeat(102_401)}`,
  );
  expect(answer).toContain("HTTP/1.1 413");
  expect(answer).toContain("102400 bytes");
});

test("jobs of an endpoint with a reserved id are served only without /live", async () => {
  await using service = await startTestHttp();
  const { engine } = service.test;
  await storeEndpoint(engine, { ...engine.directory.endpoint("echo"), id: "templates" });
  const run = { body: { input: {} } };
  expect((await service.call("POST", "/v2/templates/run", run)).status).toBe(200);
  const { status, json } = await service.call("POST", "/live/v2/templates/run", run);
  expect(status).toBe(405);
  expect(json).toMatchObject({ title: "Method Not Allowed", status: 405 });
  const health = await service.call("GET", "/live/v2/templates/health");
  expect(health).toMatchObject({ status: 404, json: { detail: "template not found" } });
});

test("the OpenAPI document is served without a key, with its own address", async () => {
  await using service = await startTestHttp();
  const { json } = await service.call("GET", "/live/v2/openapi.json", {
    headers: { authorization: "" },
  });
  expect(json).toEqual(JSON.parse(JSON.stringify(REST_V2_DOCUMENT)));
  expect(REST_V2_DOCUMENT).toMatchObject({
    info: { version: "2.0.0" },
    servers: [{ url: "/live" }],
  });
});
