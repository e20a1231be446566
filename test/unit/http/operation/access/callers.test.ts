/** Allowed callers: requests with a foreign Host header, and pages of other origins, written byte by byte. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startBalancedHttp } from "../../balancing/balanced-harness.ts";
import { KEY, startTestHttp, type TestHttp } from "../../http-harness.ts";

const PAGE = "http://localhost:3000";
const KEY_LINE = `authorization: Bearer ${KEY}`;

/** A request without a body, or the head of one with it. */
function head(line: string, ...headers: readonly string[]): string {
  return [`${line} HTTP/1.1`, ...headers, "connection: close", "", ""].join("\r\n");
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

function answerOf(text: string): Answer {
  const [first = "", ...rest] = text.split("\r\n\r\n");
  const [line = "", ...lines] = first.split("\r\n");
  const pairs = lines.map((each): [string, string] => {
    const at = each.indexOf(":");
    return [each.slice(0, at), each.slice(at + 1).trim()];
  });
  return {
    status: Number(line.split(" ")[1]),
    headers: new Headers(pairs),
    body: rest.join("\r\n\r\n"),
  };
}

let service: TestHttp;
beforeEach(async () => (service = await startTestHttp({ allowedOrigins: [PAGE] })));
afterEach(async () => service[Symbol.asyncDispose]());

const ask = async (...request: Parameters<typeof head>) =>
  answerOf(await service.raw(head(...request)));

describe("a request with a Host header that is not a name of the service", () => {
  const host = "host: rebound.test:7080";

  it.each([
    ["GET /v2/echo/health", '"code":"host_not_allowed"'],
    ["GET /v1/endpoints", '"code":"host_not_allowed"'],
    ["GET /metrics", '"code":"host_not_allowed"'],
    ["GET /docs", '"code":"host_not_allowed"'],
    ["GET /v1/openapi.json", '"code":"host_not_allowed"'],
    ["GET /emulator/events", '"code":"host_not_allowed"'],
    ["GET /lb/echo/", '"code":"host_not_allowed"'],
    ["GET /no/such/path", '"code":"host_not_allowed"'],
    ["GET /live/v2/echo/health", '{"error":"this service does not answer'],
    ["GET /live/v1/endpoints", '"status":421'],
    ["GET /live/v2/echo/ping/w", '{"error":"this service does not answer'],
    ["POST /v2/echo/openai/v1/chat/completions", '"type":'],
  ])("%s is refused even with a valid key, in the form of its dialect", async (line, shape) => {
    const { status, body } = await ask(line, host, KEY_LINE);
    expect(status).toBe(421);
    expect(body).toContain(shape);
    expect(body).toContain("--allowed-host rebound.test");
  });

  it("is refused before its key is checked and its body is requested", async () => {
    const request = head(
      "POST /v2/echo/run",
      host,
      "authorization: wrong",
      "expect: 100-continue",
      "content-length: 9",
    );
    expect(await service.raw(request)).toMatch(/^HTTP\/1\.1 421 /u);
  });

  it.each([
    ["a name that begins with ours", "host: localhost.rebound.test"],
    ["no name", "host:"],
    ["two names in one header", "host: localhost, rebound.test"],
    ["a user before the name", "host: rebound.test@localhost"],
    ["an address that is not this machine's", "host: 203.0.113.7"],
  ])("%s is not a name of the service", async (_, line) => {
    expect(await ask("GET /v2/echo/health", line, KEY_LINE)).toMatchObject({ status: 421 });
  });

  it("is counted in the metrics", async () => {
    await ask("GET /v2/echo/health", host, KEY_LINE);
    const { text } = await service.call("GET", "/v1/openapi.json");
    expect(text).toContain("host_not_allowed");
    const metrics = await service.open("/metrics");
    expect(await metrics.body.text()).toMatch(/operation="unknown",code="421"\} 1\n/u);
  });
});

describe("a request of a page of another origin", () => {
  const foreign = "origin: http://page.test";

  it.each([
    ["GET /v2/echo/health", "host: localhost"],
    ["POST /v2/echo/run", "host: localhost"],
    ["OPTIONS /v2/echo/run", "host: localhost\r\naccess-control-request-method: POST"],
    ["GET /docs", "host: localhost"],
    ["GET /live/v2/echo/health", "host: localhost"],
    ["GET /lb/echo/", "host: localhost"],
    ["GET /", "host: echo.localhost"],
  ])("%s is refused, and its browser shows the page nothing", async (line, host) => {
    const { status, headers, body } = await ask(line, host, foreign, KEY_LINE);
    expect(status).toBe(403);
    expect(body).toContain("--allowed-origin http://page.test");
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  it.each(["null", "http://localhost:7080, http://page.test", "http://localhost:1"])(
    "%s is another origin",
    async (origin) => {
      const answer = await ask("GET /v2/echo/health", "host: localhost:7080", `origin: ${origin}`);
      expect(answer.status).toBe(403);
    },
  );

  it("gets no CORS headers if the page is the service's own", async () => {
    const lines = ["host: localhost:7080", "origin: http://localhost:7080", KEY_LINE];
    const { status, headers } = await ask("GET /v2/echo/health", ...lines);
    expect([status, headers.get("access-control-allow-origin")]).toEqual([200, null]);
  });
});

describe("a page of an allowed origin", () => {
  const origin = `origin: ${PAGE}`;

  it.each(["/v2/echo/run", "/live/v2/echo/run", "/v1/endpoints", "/lb/echo/", "/no/such/path"])(
    "can ask without a key whether it may call %s",
    async (path) => {
      const { status, headers, body } = await ask(
        `OPTIONS ${path}`,
        "host: localhost",
        origin,
        "access-control-request-method: PATCH",
        "access-control-request-headers: authorization,content-type",
        "access-control-request-private-network: true",
      );
      expect([status, body]).toEqual([204, ""]);
      expect(Object.fromEntries(headers)).toMatchObject({
        "access-control-allow-origin": PAGE,
        "access-control-allow-methods": "PATCH",
        "access-control-allow-headers": "authorization,content-type",
        "access-control-allow-private-network": "true",
        "access-control-max-age": "600",
        vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
      });
    },
  );

  it.each([
    ["GET /v2/echo/health", 200, KEY_LINE],
    ["GET /v2/echo/health", 401, "x: y"],
    ["GET /v2/none/health", 404, KEY_LINE],
    ["GET /live/v2/none/health", 404, KEY_LINE],
    ["GET /no/such/path", 404, KEY_LINE],
    ["PUT /v2/echo/run", 405, KEY_LINE],
    ["OPTIONS /v2/echo/run", 405, KEY_LINE],
    ["GET /lb/echo/", 400, KEY_LINE],
    ["GET /docs", 200, KEY_LINE],
    ["GET /metrics", 200, KEY_LINE],
    ["GET /v2/echo/health", 400, `${KEY_LINE}\r\n${KEY_LINE}`],
  ])("can read the answer of %s: %i", async (line, status, key) => {
    const answer = await ask(line, "host: localhost", origin, key);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("access-control-allow-origin")).toBe(PAGE);
    expect(answer.headers.get("access-control-expose-headers")).toBe("*");
    expect(answer.headers.get("vary")).toBe("Origin");
  });

  it.each([
    ["text/event-stream", "/v2/echo/stream/"],
    ["application/x-ndjson", "/live/v2/echo/stream/"],
  ])("can read %s", async (accept, path) => {
    const id = await service.run();
    await service.call("POST", `/v2/echo/cancel/${id}`);
    const answer = await service.open(`${path}${id}`, { accept, origin: PAGE });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      "access-control-allow-origin": PAGE,
      "content-type": expect.stringContaining(accept),
    });
    await answer.body.dump();
  });

  it("cannot call with a foreign Host header", async () => {
    const { status, headers } = await ask("GET /docs", "host: rebound.test", origin);
    expect([status, headers.get("access-control-allow-origin")]).toEqual([421, null]);
  });
});

describe("before the server of a load balancing endpoint", () => {
  const websocket = [
    "connection: Upgrade, close",
    "upgrade: websocket",
    "sec-websocket-version: 13",
  ];

  it("a WebSocket of a foreign page, or with a foreign Host header, does not reach it", async () => {
    await using web = await startBalancedHttp();
    let reached = 0;
    web.server.on("upgrade", () => (reached += 1)).on("request", () => (reached += 1));
    const upgrade = async (...lines: readonly string[]) => {
      const text = ["GET /lb/web/chat HTTP/1.1", ...lines, KEY_LINE, ...websocket, "", ""];
      return web.service.raw(text.join("\r\n"));
    };
    expect(await upgrade("host: localhost", "origin: http://page.test")).toMatch(
      /^HTTP\/1\.1 403 /u,
    );
    expect(await upgrade("host: rebound.test")).toMatch(/^HTTP\/1\.1 421 /u);
    expect(await upgrade("host: localhost", "host: x")).toMatch(/^HTTP\/1\.1 400 /u);
    expect(reached).toBe(0);
  });

  it("a WebSocket of the service's own page or of an allowed origin reaches it", async () => {
    await using web = await startBalancedHttp({ allowedOrigins: [PAGE] });
    web.server.on("upgrade", (_request, socket) =>
      socket.end(
        "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
      ),
    );
    for (const origin of ["http://web.localhost:1", PAGE]) {
      const lines = ["host: web.localhost:1", `origin: ${origin}`, KEY_LINE, ...websocket];
      const text = ["GET /chat HTTP/1.1", ...lines, "", ""].join("\r\n");
      expect(await web.service.raw(text)).toMatch(/^HTTP\/1\.1 101 /u);
    }
  });

  it("an allowed page sees the server's answers, and the server's own CORS headers take precedence", async () => {
    await using web = await startBalancedHttp({ allowedOrigins: [PAGE] });
    web.server.on("request", (request, response) => {
      if (request.url === "/own") response.setHeader("access-control-allow-origin", "*");
      response.end("hello");
    });
    const see = async (path: string) => {
      const { headers, body } = await web.service.open(`/lb/web${path}`, { origin: PAGE });
      await body.dump();
      return headers["access-control-allow-origin"];
    };
    expect(await see("/")).toBe(PAGE);
    expect(await see("/own")).toBe("*");
  });
});
