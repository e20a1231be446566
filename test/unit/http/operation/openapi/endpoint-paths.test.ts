/** The OpenAPI document with schemas of endpoints' handlers: valid, correct, and bounded. */
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import type { HandlerSchemas } from "../../../../../runtime/protocol/session.ts";
import {
  withEndpoints,
  type KnownSchemas,
} from "../../../../../emulator/http/operation/openapi/endpoint-paths.ts";
import { DOCUMENT } from "../../documented.ts";
import { KEY, startTestHttp } from "../../http-harness.ts";

const GREETER: HandlerSchemas = {
  input: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { name: { type: "string" }, parent: { $ref: "#" }, of: { $ref: "#/$defs/tree" } },
    required: ["name"],
    $defs: { tree: { type: "array", items: { $ref: "#/$defs/tree" } } },
  },
  output: { type: "object", properties: { greeting: { type: "string" } }, required: ["greeting"] },
};

function known(entries: Readonly<Record<string, HandlerSchemas>>): KnownSchemas {
  return {
    revision: 1,
    endpointIds: () => Object.keys(entries),
    of: (id) => entries[id] ?? {},
  };
}

/** Validates values against the document, including `$ref`s. */
function checker(document: object, pointer: string): (value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, "doc");
  const check = ajv.getSchema(`doc#${pointer}`);
  if (check === undefined) throw new Error(`nothing is at ${pointer}`);
  return (value) => Boolean(check(value));
}

test("a handler's input schema is the body of run and runsync, its output schema the answer of runsync and status", async () => {
  const document = withEndpoints(DOCUMENT, known({ greeter: GREETER }));
  const result = await new Validator().validate(structuredClone({ ...document }));
  expect(result.errors).toBeUndefined();
  const added = Object.keys(document.paths ?? {}).filter(
    (path) => !(path in (DOCUMENT.paths ?? {})),
  );
  expect(added).toEqual(["/v2/greeter/run", "/v2/greeter/runsync", "/v2/greeter/status/{jobId}"]);
  expect(document.paths?.["/v2/greeter/run"]?.post).toMatchObject({
    operationId: "run_greeter",
    tags: ["endpoint greeter"],
  });
  const parameters = document.paths?.["/v2/greeter/run"]?.post?.parameters;
  expect(parameters).toMatchObject([{ in: "query", name: "cancel" }]);

  const media = "content/application~1json/schema";
  const takes = checker(document, `/paths/~1v2~1greeter~1run/post/requestBody/${media}`);
  expect(takes({ input: { name: "Ada" } })).toBe(true);
  expect(takes({ input: { name: "Ada", parent: { name: "Grace" }, of: [[], [[]]] } })).toBe(true);
  expect(takes({ input: { name: 1 } })).toBe(false);
  expect(takes({ input: { name: "Ada", parent: {} } })).toBe(false);
  expect(takes({ input: { name: "Ada", of: [1] } })).toBe(false);
  expect(takes({})).toBe(false);

  const gives = checker(document, `/paths/~1v2~1greeter~1runsync/post/responses/200/${media}`);
  const job = { id: "a", status: "COMPLETED" };
  expect(gives({ ...job, output: { greeting: "Hello" } })).toBe(true);
  expect(gives({ ...job, output: { greeting: 1 } })).toBe(false);
  expect(gives({ id: "a", status: "IN_QUEUE" })).toBe(true);
});

test("an endpoint with one known schema has the general schema for the other side", () => {
  const document = withEndpoints(DOCUMENT, known({ g: { output: { type: "string" } } }));
  const { paths, components } = document;
  expect(paths?.["/v2/g/run"]?.post?.requestBody).toEqual(
    DOCUMENT.paths?.["/v2/{endpointId}/run"]?.post?.requestBody,
  );
  expect(Object.keys(components?.schemas ?? {}).filter((name) => name.includes("."))).toEqual([
    "g.output",
  ]);
});

test("without known schemas the document is unchanged, and the source document is never modified", () => {
  const before = JSON.stringify(DOCUMENT);
  expect(withEndpoints(DOCUMENT, known({}))).toEqual(DOCUMENT);
  withEndpoints(DOCUMENT, known({ greeter: GREETER }));
  expect(JSON.stringify(DOCUMENT)).toBe(before);
});

test("the document shows at most a hundred endpoints, and large schemas only while they fit", () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, nr) => [`e${nr}`, GREETER]));
  const own = (document: object) =>
    JSON.stringify(document).length - JSON.stringify(DOCUMENT).length;
  const paths = Object.keys(withEndpoints(DOCUMENT, known(many)).paths ?? {});
  expect(paths.filter((path) => path.endsWith("/run"))).toHaveLength(101);
  const large = { input: { description: "x".repeat(200_000) } };
  const heavy = Object.fromEntries(Array.from({ length: 50 }, (_, nr) => [`e${nr}`, large]));
  expect(own(withEndpoints(DOCUMENT, known(heavy)))).toBeLessThan(1_100_000);
});

const WRONG_KEY =
  "GET /v1/openapi.json HTTP/1.1\r\nhost: x\r\nauthorization: no\r\nconnection: close\r\n\r\n";

test("the document is served to callers with a key, and rebuilt only after a handler has changed", async () => {
  await using service = await startTestHttp();
  const { schemas } = service.test.engine;
  const read = async (path = "/v1/openapi.json") => {
    const answer = await service.raw(
      `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${KEY}\r\nconnection: close\r\n\r\n`,
    );
    return JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))) as {
      paths: Record<string, unknown>;
    };
  };
  expect((await read()).paths).not.toHaveProperty(["/v2/echo/run"]);
  const note = (told: HandlerSchemas, endpointVersion: number) =>
    schemas.note({ endpointId: "echo", endpointVersion }, Buffer.from(JSON.stringify(told)));
  note(GREETER, 1);
  expect((await read()).paths).toHaveProperty(["/v2/echo/run"]);
  const undated = async (request: string) =>
    (await service.raw(request)).replace(/^date: .*$/imu, "");
  const open = await undated(
    "GET /v1/openapi.json HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
  );
  expect(open).not.toContain("echo");
  expect(await undated(WRONG_KEY)).toBe(open);
  expect((await read("/live/v1/openapi.json")).paths).toHaveProperty(["/v2/echo/run"]);
  const first = await service.call("GET", "/v1/openapi.json");
  expect((await service.call("GET", "/v1/openapi.json")).text).toBe(first.text);
  note({ output: { type: "string" } }, 2);
  expect((await service.call("GET", "/v1/openapi.json")).text).not.toContain("greeting");
});
