/** The OpenAPI document: valid, complete, and public. */
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { writtenPath } from "../../../../../emulator/http/schemas/path-parameters.ts";
import { routesOf } from "../../../../../emulator/http/operation/operation.ts";
import { OPERATIONS } from "../../../../../emulator/http/operations.ts";
import {
  ALL_DOCUMENTED,
  assertDocumented,
  DOCUMENT,
  DOCUMENTED,
  LIVE_DOCUMENT,
  REST_V2_DOCUMENT,
} from "../../documented.ts";
import { startTestHttp } from "../../http-harness.ts";

test.each([
  ["our own dialect", DOCUMENT],
  ["the live dialect", LIVE_DOCUMENT],
  ["REST v2", REST_V2_DOCUMENT],
])("the document of %s is valid OpenAPI 3.1", async (_, document) => {
  const validator = new Validator();
  const result = await validator.validate({ ...structuredClone(document) });
  expect(result.errors).toBeUndefined();
  expect(result.valid).toBe(true);
  expect(validator.version).toBe("3.1");
});

test("the document has exactly the operations of the interface", () => {
  const served = Object.values(OPERATIONS)
    .flatMap(routesOf)
    .flatMap(({ methods, path }) => methods.map((method) => `${method} ${writtenPath(path)}`));
  const documented = DOCUMENTED.map(({ method, path }) => `${method} ${path}`);
  expect(documented.toSorted()).toEqual(served.toSorted());
});

test("every operation has its own id, a summary and a described group", () => {
  const ids = DOCUMENTED.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const groups = DOCUMENT.tags?.map(({ name }) => name);
  for (const { operation } of DOCUMENTED) {
    expect(operation.summary).toMatch(/^[A-Z].*\.$/);
    expect(groups).toEqual(expect.arrayContaining(operation.tags ?? ["none"]));
  }
});

test("the document is served without a key, and all else requires one", async () => {
  await using service = await startTestHttp();
  const answer = await service.raw(
    "GET /v1/openapi.json HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
  );
  expect(answer).toContain("HTTP/1.1 200");
  const { json } = await service.call("GET", "/v1/openapi.json");
  expect(json).toEqual(JSON.parse(JSON.stringify(DOCUMENT)));
  const open = DOCUMENTED.filter(({ operation }) => operation.security?.length === 0);
  expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /v1/openapi.json",
    "GET /livez",
    "GET /readyz",
    "POST /emulator/session",
    "DELETE /emulator/session",
    "GET /",
    "GET /ui/{file}",
    "GET /v1/docs",
    "GET /docs",
    "GET /docs/{file}",
  ]);
});

test("a dialect under its own path has its own document there, with the path as server", async () => {
  await using service = await startTestHttp();
  const { json } = await service.call("GET", "/live/v1/openapi.json");
  expect(json).toEqual(JSON.parse(JSON.stringify(LIVE_DOCUMENT)));
  expect(LIVE_DOCUMENT.servers).toEqual([{ url: "/live" }]);
});

test("an undocumented answer is found", () => {
  const json = { "content-type": "application/json; charset=utf-8" };
  const job = { id: "a", status: "IN_QUEUE" };
  const check = (path: string, status: number, body: unknown) => () =>
    assertDocumented("GET", path, { status, headers: json, text: JSON.stringify(body) });
  const error = { error: "No.", code: "job_not_found", status: 404 };
  const status = "/v2/echo/status/x?ttl=1";
  expect(check(status, 200, job)).not.toThrow();
  expect(check(status, 404, error)).not.toThrow();
  expect(check("/v2/echo/unknown", 404, { ...error, code: "not_found" })).not.toThrow();
  expect(check(status, 200, { ...job, extra: 1 })).toThrow("additional properties");
  expect(check(status, 200, { ...job, status: "LOST" })).toThrow("allowed values");
  expect(check(status, 201, job)).toThrow("a status that the document does not show");
  expect(check(status, 404, { ...error, code: "template_not_found" })).toThrow("allowed values");
  expect(check("/v2/echo/unknown", 200, job)).toThrow("no such operation");
  const text = { status: 200, headers: { "content-type": "text/plain" }, text: "a" };
  expect(() => assertDocumented("GET", status, text)).toThrow("text/plain");
});

test("the document of the live dialect shows its forms, and none of our codes", () => {
  const { schemas = {}, responses = {} } = LIVE_DOCUMENT.components ?? {};
  const fieldsOf = (name: string) => Object.keys((schemas[name] as object & Shape).properties);
  expect(fieldsOf("Job")).not.toContain("failure");
  expect(fieldsOf("Stream")).toEqual(["status", "stream"]);
  expect(fieldsOf("Template")).toEqual(expect.arrayContaining(["isRunpod", "isPlatform"]));
  expect(fieldsOf("Endpoint")).toContain("workersStandby");
  expect(fieldsOf("Error")).toEqual(["error", "message", "status", "problems"]);
  expect(fieldsOf("JobError")).toEqual(["error", "status", "title", "detail"]);
  expect(JSON.stringify(responses)).not.toContain('"code"');
  const { run, createTemplate } = Object.fromEntries(
    ALL_DOCUMENTED.filter(({ path }) => path.startsWith("/live/")).map(({ operation }) => [
      operation.operationId,
      Object.keys(operation.responses ?? {}),
    ]),
  );
  expect(run).not.toContain("413");
  expect(createTemplate).not.toContain("413");
});

interface Shape {
  readonly properties: object;
}
