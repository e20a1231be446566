/** Requests that are wrong before their body counts: key, path, method, headers, query. Each gets a clear refusal. */
import { request } from "undici";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { assertUnharmed, KEY, startTestHttp, type TestHttp } from "../../http-harness.ts";

let service: TestHttp;

beforeAll(async () => {
  service = await startTestHttp();
});

afterEach(() => assertUnharmed(service));

afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

const HEAD = `host: x\r\nauthorization: Bearer ${KEY}\r\n`;

/** The answer to raw text: its status, and its parsed body. */
async function answerTo(
  text: string | Uint8Array,
): Promise<{ status: number; json: unknown; head: string }> {
  const [head = "", body = ""] = (await service.raw(text)).split("\r\n\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  return { status, json: body === "" ? undefined : JSON.parse(body), head };
}

describe("a query", () => {
  it.each(["999", "300001", "abc", "", "1e3", "-1000", "1000.5", "1000&wait=2000"])(
    "is refused with wait=%s",
    async (wait) => {
      const { json } = await service.call("POST", `/v2/echo/runsync?wait=${wait}`, {
        body: { input: {} },
      });
      expect(json).toMatchObject({ code: "invalid_request", status: 400 });
      expect((json as { error: string }).error).toMatch(
        /^wait must be one integer from 1000 to 300000 \(ms\); got /,
      );
    },
  );

  it.each(["0", "604800001", "soon"])("is refused with ttl=%s", async (ttl) => {
    const { json } = await service.call("GET", `/v2/echo/status/x?ttl=${ttl}`);
    expect((json as { error: string }).error).toMatch(
      /^ttl must be one integer from 1 to 604800000 \(ms\); got /,
    );
  });
});

describe("the API key", () => {
  const MISSING = {
    error: "the API key is missing; send it as Authorization: Bearer KEY",
    code: "unauthorized",
    status: 401,
  };
  const WRONG = { error: "the API key is wrong", code: "unauthorized", status: 401 };

  it.each([`Bearer ${KEY}`, `bearer ${KEY}`, KEY])("is accepted as %s", async (authorization) => {
    const { status } = await service.call("GET", "/v2/echo/health", { headers: { authorization } });
    expect(status).toBe(200);
  });

  it.each(["Bearer wrong", "wrong", "Bearer", `Basic ${KEY}`, `${KEY}x`, `Bearer ${KEY} x`])(
    "is refused as %s",
    async (authorization) => {
      const { json, headers } = await service.call("GET", "/v2/echo/health", {
        headers: { authorization },
      });
      expect(json).toStrictEqual(WRONG);
      expect(headers["www-authenticate"]).toBe("Bearer");
    },
  );

  it.each([
    ["GET", "/v2/echo/health"],
    ["GET", "/v2/none/health"],
    ["POST", "/v2/echo/run"],
    ["GET", "/v1/templates"],
    ["GET", "/nowhere"],
    ["DELETE", "/v2/echo/run"],
  ])("is checked before anything else: %s %s", async (method, path) => {
    const { status, json } = await answerTo(
      `${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    );
    expect(status).toBe(401);
    expect(json).toStrictEqual(MISSING);
  });

  it("is checked before a large body is read", async () => {
    const answer = await request(`${service.url}/v2/echo/runsync`, {
      method: "POST",
      headers: { authorization: "wrong" },
      body: Buffer.alloc(19_000_000, 0x20),
    });
    expect(answer.statusCode).toBe(401);
    expect(await answer.body.json()).toStrictEqual(WRONG);
  });
});

describe("the service", () => {
  it.each(["/", "/v2", "/v2/echo", "/v2/echo/", "/v2/echo/nothing", "/v3/echo/run", "/v2//run"])(
    "has no operation at %s",
    async (path) => {
      const { json } = await service.call("GET", `${path}?secret=1`);
      expect(json).toStrictEqual({
        error: `there is no operation at ${path}`,
        code: "not_found",
        status: 404,
      });
    },
  );

  it.each([
    ["GET", "/v2/echo/run", "POST"],
    ["HEAD", "/v2/echo/run", "POST"],
    ["PUT", "/v2/echo/status/x", "GET, POST"],
    ["POST", "/v2/echo/health", "GET"],
    ["PATCH", "/v1/templates", "POST, GET"],
    ["OPTIONS", "/v1/endpoints/x", "GET, PATCH, PUT, DELETE"],
    ["PROPFIND", "/v2/echo/run", "POST"],
  ])("does not accept %s %s, and names the accepted methods", async (method, path, allow) => {
    const { status, head } = await answerTo(
      `${method} ${path} HTTP/1.1\r\n${HEAD}connection: close\r\n\r\n`,
    );
    expect(status).toBe(405);
    expect(head.toLowerCase()).toContain(`\r\nallow: ${allow.toLowerCase()}\r\n`);
  });

  it.each(["/v2/%zz/run", "/v2/echo/status/%", "/v2/echo/status/%c3%28"])(
    "refuses the percent-encoding of %s",
    async (path) => {
      const { json } = await answerTo(`GET ${path} HTTP/1.1\r\n${HEAD}connection: close\r\n\r\n`);
      expect(json).toMatchObject({ code: "invalid_header", status: 400 });
    },
  );

  it("answers far too long an id with 404, far too long a URL with 400", async () => {
    const long = await service.call("GET", `/v2/echo/status/${"x".repeat(5_000)}`);
    expect(long.json).toMatchObject({ status: 404, code: "not_found" });
    const { json } = await answerTo(
      `GET /v2/echo/status/${"x".repeat(20_000)} HTTP/1.1\r\n${HEAD}\r\n`,
    );
    expect(json).toMatchObject({ code: "invalid_header", status: 400 });
  });
});

describe("a request", () => {
  const close = "connection: close\r\n\r\n";

  it.each([
    [
      "two Host headers",
      `GET /v2/echo/health HTTP/1.1\r\n${HEAD}Host: y\r\n${close}`,
      "more than one Host header",
    ],
    [
      "the same Host header twice",
      `GET /v2/echo/health HTTP/1.1\r\n${HEAD}HOST: x\r\n${close}`,
      "more than one Host header",
    ],
    [
      "two keys",
      `GET /v2/echo/health HTTP/1.1\r\n${HEAD}Authorization: z\r\n${close}`,
      "more than one Authorization header",
    ],
    [
      "no Host header",
      `GET /v2/echo/health HTTP/1.1\r\nauthorization: ${KEY}\r\n${close}`,
      "the Host header is missing",
    ],
    [
      "a whole URL",
      `GET http://x/v2/echo/health HTTP/1.1\r\n${HEAD}${close}`,
      "must name a path that begins with /",
    ],
    ["an asterisk", `OPTIONS * HTTP/1.1\r\n${HEAD}${close}`, "must name a path that begins with /"],
    [
      "an Expect header that cannot be fulfilled",
      `GET /v2/echo/health HTTP/1.1\r\n${HEAD}expect: miracles\r\n${close}`,
      "Expect: miracles",
    ],
    ["no HTTP at all", "hello\r\n\r\n", "not a valid HTTP request"],
    [
      "no valid header",
      `GET /v2/echo/health HTTP/1.1\r\nhost x\r\n\r\n`,
      "not a valid HTTP request",
    ],
    [
      "two lengths",
      `POST /v2/echo/run HTTP/1.1\r\n${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\n{}`,
      "not a valid HTTP request",
    ],
    [
      "length and chunks",
      `POST /v2/echo/run HTTP/1.1\r\n${HEAD}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`,
      "not a valid HTTP request",
    ],
    [
      "a wrong chunk size",
      `POST /v2/echo/run HTTP/1.1\r\n${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n`,
      "the chunked encoding of the body is invalid",
    ],
    [
      "headers without end",
      `GET /v2/echo/health HTTP/1.1\r\nx: ${"y".repeat(20_000)}`,
      "are too long",
    ],
  ])("is refused with %s", async (_what, text, message) => {
    const { status, json } = await answerTo(text);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: "invalid_header", status: 400 });
    expect((json as { error: string }).error).toContain(message);
  });

  it("can be HTTP/1.0 without a Host header", async () => {
    const { status } = await answerTo(
      `GET /v2/echo/health HTTP/1.0\r\nauthorization: ${KEY}\r\n\r\n`,
    );
    expect(status).toBe(200);
  });
});

it("that meets a defect gets 500 and an id that is in the log, with the stack", async () => {
  const { engine, logged } = service.test;
  const counts = engine.fleet.counts.bind(engine.fleet);
  engine.fleet.counts = () => {
    throw new Error("a defect");
  };
  const { json } = await service.call("GET", "/v2/echo/health?secret=1");
  engine.fleet.counts = counts;
  expect(json).toMatchObject({ code: "internal_error", status: 500 });
  const errorId = /under the id (\w+)$/.exec((json as { error: string }).error)?.[1];
  const entry = logged.find(({ fields }) => fields["errorId"] === errorId);
  expect(entry).toMatchObject({
    level: "error",
    fields: { method: "GET", path: "/v2/echo/health" },
  });
  expect(entry?.fields["err"]).toHaveProperty("stack", expect.stringContaining("a defect"));
  expect(JSON.stringify(entry)).not.toContain("secret");
});
