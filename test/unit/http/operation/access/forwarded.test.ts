/** Headers of proxies about a request count only from trusted proxies. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { ListBucketsCommand, S3Client } from "@aws-sdk/client-s3";
import { request as ask } from "undici";
import { describe, expect, it } from "vitest";
import { callerCheck } from "../../../../../emulator/assembly/callers.ts";
import { ObjectService } from "../../../../../emulator/objects/object-service.ts";
import { temporaryDirectory } from "../../../../setup/temporary-directory.ts";
import type { Tracer } from "../../../../../emulator/trace/tracer.ts";
import { createTestEngine } from "../../../engine-harness.ts";
import { startBalancedHttp } from "../../balancing/balanced-harness.ts";
import { KEY, startTestHttp, type TestHttp } from "../../http-harness.ts";

const TRUSTING = { trustProxy: ["loopback"], allowedHosts: ["x", "emulator.example.com"] };
const AUTH = `authorization: Bearer ${KEY}`;

async function status(service: TestHttp, line: string, ...headers: readonly string[]) {
  const lines = [`${line} HTTP/1.1`, AUTH, ...headers, "connection: close", "", ""];
  return Number((await service.raw(lines.join("\r\n"))).split(" ")[1]);
}

describe("the name of the service", () => {
  const line = "GET /v2/echo/health";

  it.each([
    ["host: localhost", "x-forwarded-host: emulator.example.com", 200],
    ["host: localhost", "x-forwarded-host: other.test, emulator.example.com:443", 200],
    ["host: localhost", "x-forwarded-host: rebound.test", 421],
    ["host: localhost", "x-forwarded-host: emulator.example.com, rebound.test", 421],
    // A page with a host name that leads to this machine has a trusted address, and may send such headers.
    ["host: rebound.test", "x-forwarded-host: emulator.example.com", 421],
    // A malformed header counts as absent.
    ["host: localhost", "x-forwarded-host: a b", 200],
    ["host: localhost", "x-forwarded-host: //rebound.test/", 200],
  ])("can come from a trusted proxy, beside the request's own: %s, %s", async (...asked) => {
    await using service = await startTestHttp(TRUSTING);
    const [host, forwarded, expected] = asked;
    expect(await status(service, line, host, forwarded)).toBe(expected);
  });

  it("ignores headers of any other peer", async () => {
    await using service = await startTestHttp();
    const forged = "x-forwarded-host: rebound.test";
    expect(await status(service, line, "host: localhost", forged)).toBe(200);
  });

  it("is the origin of its own pages", async () => {
    await using trusting = await startTestHttp(TRUSTING);
    await using other = await startTestHttp();
    const page = [
      "host: localhost",
      "x-forwarded-host: emulator.example.com",
      "origin: https://emulator.example.com",
    ];
    expect(await status(trusting, line, ...page)).toBe(200);
    expect(await status(other, line, ...page)).toBe(403);
  });
});

describe("the cookie of the dashboard", () => {
  async function cookie(service: TestHttp, ...headers: readonly string[]) {
    const link = new URL(service.http.dashboardLink(service.url) ?? "");
    const body = JSON.stringify({ ticket: link.searchParams.get("ticket") });
    const own = ["host: localhost", "origin: http://localhost", "x-sv-dashboard: 1"];
    const lines = ["POST /emulator/session HTTP/1.1", ...own, ...headers, "connection: close"];
    const text = `${lines.join("\r\n")}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    return /^set-cookie: (.*)$/imu.exec(await service.raw(text))?.[1];
  }

  it("is for HTTPS only if a trusted proxy received the request by HTTPS", async () => {
    await using trusting = await startTestHttp({ ...TRUSTING, dashboard: "on" });
    await using other = await startTestHttp({ dashboard: "on" });
    const https = "x-forwarded-proto: HTTPS";
    expect(await cookie(trusting, https)).toMatch(/; Secure$/u);
    expect(await cookie(trusting)).not.toContain("Secure");
    expect(await cookie(trusting, "x-forwarded-proto: gopher")).not.toContain("Secure");
    expect(await cookie(trusting, "x-forwarded-proto: https, http")).not.toContain("Secure");
    expect(await cookie(other, https)).not.toContain("Secure");
  });
});

describe("the server of a load balancing endpoint", () => {
  const FORWARDED = [
    "x-forwarded-for: 203.0.113.7",
    "x-forwarded-proto: https",
    "x-forwarded-host: emulator.example.com",
    "x-forwarded-port: 443",
    "forwarded: for=203.0.113.7",
  ];

  async function told(options: Parameters<typeof startBalancedHttp>[0]) {
    await using web = await startBalancedHttp(options);
    const got = Promise.withResolvers<Record<string, unknown>>();
    web.server.on("request", (request, response) => {
      got.resolve(request.headers);
      response.end();
    });
    await status(web.service, "GET /lb/web/", "host: localhost", ...FORWARDED);
    const headers = Object.entries(await got.promise);
    return Object.fromEntries(headers.filter(([name]) => name.includes("forwarded")));
  }

  it("gets the headers of a trusted proxy, with the list of addresses continued", async () => {
    expect(await told(TRUSTING)).toEqual({
      "x-forwarded-for": "203.0.113.7, 127.0.0.1",
      "x-forwarded-proto": "https",
      "x-forwarded-host": "emulator.example.com",
      "x-forwarded-port": "443",
      "x-forwarded-prefix": "/lb/web",
      forwarded: "for=203.0.113.7",
    });
  });

  it("gets no such headers of any other peer", async () => {
    expect(await told({})).toEqual({
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-proto": "http",
      "x-forwarded-host": "localhost",
      "x-forwarded-prefix": "/lb/web",
    });
  });
});

it("the span of a request has the address of its client", async () => {
  const spans: unknown[] = [];
  const tracer: Tracer = {
    begin({ attributes }) {
      spans.push(attributes?.["client.address"]);
      return { traceparent: "", end: () => undefined };
    },
    close: async () => undefined,
  };
  const engine = await createTestEngine(undefined, undefined, { tracer });
  await using service = await startTestHttp({ ...TRUSTING, engine });
  const line = "GET /v2/echo/health";
  await status(service, line, "host: x", "x-forwarded-for: 1.1.1.1, 203.0.113.7");
  await status(service, line, "host: x");
  expect(spans).toEqual(["203.0.113.7", "127.0.0.1"]);
});

it("a signature of the object store is valid for the host name that the client called", async () => {
  using temporary = temporaryDirectory();
  const callers = callerCheck("127.0.0.1", TRUSTING);
  const store = new ObjectService({
    directory: temporary.path,
    now: Date.now,
    log: { warn: () => undefined, error: () => undefined },
    callers: (request) => ({ ...callers.look(request), seen: callers.seen(request) }),
  });
  await store.start({ host: "127.0.0.1", port: 0, allowsOtherPort: false });
  const { endpoint = "", region = "", ...credentials } = store.access ?? {};
  // It calls the store by another name, and states the name by which it was called.
  await using proxy = await startProxy(endpoint);
  const client = new S3Client({
    endpoint: proxy.url,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId: "", secretAccessKey: "", ...credentials },
  });
  expect((await client.send(new ListBucketsCommand({}))).$metadata.httpStatusCode).toBe(200);
  client.destroy();
  await store.stop();
});

async function startProxy(target: string) {
  const pass = async ({ url, headers }: IncomingMessage, response: ServerResponse) => {
    const { host, connection: _, ...others } = headers;
    const passed = { ...others, "x-forwarded-host": host };
    const answer = await ask(`${target}${url}`, { headers: passed });
    response.writeHead(answer.statusCode).end(await answer.body.text());
  };
  const server = createServer((request, response) => void pass(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
