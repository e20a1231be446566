/**
 * Requests and answers that a load balancing endpoint passes between clients and a worker's server, and the parts
 * it leaves out.
 */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BalancedHttp, startBalancedHttp } from "./balanced-harness.ts";
import { IS_FORWARDED } from "../../two-replicas.ts";
import { TextReader } from "../operation/answers/text-reader.ts";
import { KEY, makeKey } from "../http-harness.ts";

const AUTH = `Authorization: Bearer ${KEY}`;

let balanced: BalancedHttp;

beforeEach(async () => {
  balanced = await startBalancedHttp();
});
afterEach(() => balanced[Symbol.asyncDispose]());

/** Makes the worker's server answer this; resolves with each request it got. */
function answering(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<IncomingMessage> {
  return new Promise((resolve) => {
    balanced.server.on("request", (request, response) => {
      resolve(request);
      answer(request, response);
    });
  });
}

function raw(...lines: readonly string[]): Promise<string> {
  return balanced.service.raw(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
}

function inFlight(): number {
  return balanced.service.test.engine.balancer.demand("web").running;
}

describe("a request to a load balancing endpoint", () => {
  it("by its path loses only the prefix, and the rest keeps its bytes", async () => {
    const path = "/a%2Fb//c/../%7e;x?q=%20+&q=&&r";
    const got = answering((_request, response) => response.end("hello"));
    const bytes = Buffer.from(
      `GET /lb/web${path} HTTP/1.1\r\nHost: x:1\r\n${AUTH}\r\nConnection: close\r\n\r\n`,
      "latin1",
    );
    expect(await balanced.service.raw(bytes)).toMatch(/^HTTP\/1.1 200 OK\r\n.*hello/su);
    const { url, headers } = await got;
    expect(url).toBe(path);
    expect(headers).toMatchObject({ host: "x:1", "x-forwarded-prefix": "/lb/web" });
  });

  it("is counted by the status of the server's answer", async () => {
    void answering((_request, response) => void response.writeHead(418).end());
    await raw("GET /lb/web/ HTTP/1.1", "Host: x", AUTH);
    const { requests } = balanced.service.test.engine.metrics;
    await expect
      .poll(() => requests.series.map(({ labels }) => labels))
      .toContainEqual({
        operation: "balanced",
        code: "418",
      });
  });

  it.each([
    ["/lb/web", "/"],
    ["/lb/web?q", "/?q"],
    ["/lb/web/", "/"],
  ])("for %s asks for %s", async (asked, passed) => {
    const got = answering((_request, response) => response.end());
    await raw(`GET ${asked} HTTP/1.1`, "Host: x", AUTH);
    expect((await got).url).toBe(passed);
  });

  it.each(["web.localhost", "WEB.localhost:7080", "web.localhost.:80"])(
    "by its host %s keeps its whole path",
    async (host) => {
      const got = answering((_request, response) => response.end());
      await balanced.service.test.addEndpoint("WEB", { type: "LOAD_BALANCING" });
      const answer = await raw("GET /lb/x/v2 HTTP/1.1", `Host: ${host}`, AUTH);
      expect(answer).toMatch(/^HTTP\/1.1 200/u);
      const { url, headers } = await got;
      expect(url).toBe("/lb/x/v2");
      expect(headers).toMatchObject({ host, "x-forwarded-host": host });
      expect(headers).not.toHaveProperty("x-forwarded-prefix");
    },
  );

  it("keeps its headers except the key and those of its connection, and gets the forwarding headers", async () => {
    const got = answering((_request, response) => response.end());
    await balanced.service.raw(
      [
        "GET /lb/web/ HTTP/1.1",
        "Host: x",
        AUTH,
        "X-My-Key: secret",
        "Cookie: a=1",
        "X-Twice: 1",
        "X-Twice: 2",
        "X-Hop: 1",
        "Keep-Alive: timeout=5",
        "TE: trailers",
        "Connection: close, X-Hop, Host",
      ].join("\r\n") + "\r\n\r\n",
    );
    const { rawHeaders } = await got;
    const names = rawHeaders.filter((_text, at) => at % 2 === 0).map((name) => name.toLowerCase());
    expect(rawHeaders).toEqual(expect.arrayContaining(["secret", "a=1", "1", "2"]));
    expect(names.toSorted()).toEqual([
      "connection",
      "cookie",
      "host",
      "x-forwarded-for",
      "x-forwarded-host",
      "x-forwarded-prefix",
      "x-forwarded-proto",
      "x-my-key",
      "x-twice",
      "x-twice",
    ]);
  });

  it.skipIf(IS_FORWARDED)(
    "is answered with the server's status, reason, headers and trailers, and the worker's id",
    async () => {
      void answering((_request, response) => {
        response.writeHead(418, "Short And Stout", [
          ["Set-Cookie", "a=1"],
          ["Set-Cookie", "b=2"],
          ["Trailer", "X-Sum"],
          ["Sv-Worker-Id", "forged"],
          ["Keep-Alive", "timeout=1"],
        ]);
        response.write("tea");
        response.addTrailers({ "X-Sum": "42" });
        response.end();
      });
      const answer = await raw("GET /lb/web/ HTTP/1.1", "Host: x", AUTH);
      expect(answer).toMatch(/^HTTP\/1.1 418 Short And Stout\r\n/u);
      expect(answer.match(/Set-Cookie: .*/gu)).toEqual(["Set-Cookie: a=1", "Set-Cookie: b=2"]);
      expect(answer.match(/Sv-Worker-Id: .*/giu)).toEqual([`Sv-Worker-Id: ${balanced.workerId}`]);
      expect(answer).not.toContain("timeout=1");
      expect(answer).toMatch(/3\r\ntea\r\n0\r\nX-Sum: 42\r\n\r\n$/u);
      expect(inFlight()).toBe(0);
    },
  );

  it.skipIf(IS_FORWARDED)("can have any method, and its own trailers", async () => {
    const got = answering((request, response) => {
      request.resume().on("end", () => response.end(JSON.stringify(request.rawTrailers)));
    });
    const answer = await balanced.service.raw(
      `PROPFIND /lb/web/ HTTP/1.1\r\nHost: x\r\n${AUTH}\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n` +
        "Connection: close\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 6\r\n\r\n",
    );
    expect((await got).method).toBe("PROPFIND");
    expect(answer).toContain('["X-Sum","6"]');
  });

  it("with HEAD gets only the head, however large the body would be", async () => {
    void answering((_request, response) =>
      response.writeHead(200, { "content-length": 9e9 }).end(),
    );
    const answer = await raw("HEAD /lb/web/ HTTP/1.1", "Host: x", AUTH);
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n.*content-length: 9000000000.*\r\n\r\n$/su);
  });

  it("with Expect gets 100 Continue only when the server sends it", async () => {
    balanced.server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      if (request.url === "/no") return void response.writeHead(417).end();
      response.writeContinue();
      request.on("data", (bytes: Buffer) => response.end(bytes));
    });
    const head = (path: string) =>
      `POST /lb/web${path} HTTP/1.1\r\nHost: x\r\n${AUTH}\r\nExpect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\n`;
    const socket = await balanced.service.socket(head("/yes"));
    const [first] = (await once(socket, "data")) as [Buffer];
    expect(first.toString()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write("abc");
    const [second] = (await once(socket, "data")) as [Buffer];
    expect(second.toString()).toMatch(/^HTTP\/1.1 200 OK/u);
    expect(await balanced.service.raw(head("/no"))).toMatch(/^HTTP\/1.1 417/u);
  });

  it("without a valid key is refused and not passed on", async () => {
    let count = 0;
    balanced.server.on("request", () => (count += 1));
    for (const line of ["X: y", "Authorization: Bearer wrong"]) {
      const answer = await raw("GET /lb/web/ HTTP/1.1", "Host: x", line);
      expect(answer).toMatch(/^HTTP\/1.1 401 .*"code":"unauthorized"/su);
    }
    expect(count).toBe(0);
  });

  it("is passed on with a key for jobs of the endpoint, and refused with a read-only or management key", async () => {
    balanced.server.on("request", (_, response) => response.end("served"));
    const { service } = balanced;
    const { key } = await makeKey(service, { name: "a", scope: "jobs", endpointIds: ["web"] });
    expect(await raw("GET /lb/web/ HTTP/1.1", "Host: x", `Authorization: ${key}`)).toContain(
      "served",
    );
    for (const scope of ["read-only", "management"] as const) {
      const other = await makeKey(service, { name: scope, scope });
      for (const line of ["X: y", "Connection: Upgrade\r\nUpgrade: websocket"]) {
        const answer = await raw(
          "GET /lb/web/ HTTP/1.1",
          "Host: x",
          `Authorization: ${other.key}`,
          line,
        );
        expect(answer).toMatch(/^HTTP\/1.1 403 .*"code":"insufficient_scope"/su);
      }
    }
  });

  it("to a missing endpoint or a queue is refused, and a server has no queue", async () => {
    const { service } = balanced;
    expect(await service.call("GET", "/lb/nobody/x")).toMatchObject({
      status: 404,
      json: { code: "endpoint_not_found" },
    });
    expect(await service.call("GET", "/lb/echo/x")).toMatchObject({
      status: 400,
      json: { code: "wrong_endpoint_type" },
    });
    for (const [method, path] of [
      ["POST", "run"],
      ["POST", "runsync"],
      ["GET", "status/x"],
      ["GET", "status-sync/x"],
      ["GET", "stream/x"],
      ["POST", "cancel/x"],
      ["POST", "retry/x"],
      ["POST", "purge-queue"],
      ["GET", "requests"],
    ] as const) {
      const body = method === "POST" ? { body: { input: {} } } : {};
      expect(await service.call(method, `/v2/web/${path}`, body), path).toMatchObject({
        status: 400,
        json: { code: "wrong_endpoint_type" },
      });
    }
    expect(await service.call("GET", "/v2/web/health")).toMatchObject({
      status: 200,
      json: { jobs: { completed: 0, inQueue: 0 }, workers: { ready: 1 } },
    });
  });

  it("that asks for an unknown upgrade gets an ordinary answer", async () => {
    const got = answering((_request, response) => response.end("plain"));
    const answer = await raw("GET /lb/web/ HTTP/1.1", "Host: x", AUTH, "Upgrade: h2c");
    expect(answer).toMatch(/^HTTP\/1.1 200 .*plain/su);
    expect((await got).headers).not.toHaveProperty("upgrade");
    const own = await raw("GET /v2/web/health HTTP/1.1", "Host: x", AUTH, "Upgrade: websocket");
    expect(own).toMatch(/^HTTP\/1.1 200/u);
  });

  it("that asks for an upgrade behind an unanswered request is answered in turn, without the upgrade", async () => {
    const { service, server } = balanced;
    server.on("upgrade", (_, socket) => void socket.destroy());
    server.on("request", ({ url }, response) => response.end(`answer to ${url}\n`));
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
    const request = (path: string, more: string) =>
      `GET /lb/web/${path} HTTP/1.1\r\nHost: x\r\n${AUTH}\r\n${more}\r\n`;
    const socket = await service.socket(request("one", "") + request("two", upgrade));
    const reader = new TextReader(socket);
    await reader.until("answer to /one\n");
    expect(await reader.until("answer to /two\n")).toContain("HTTP/1.1 200 OK");
    socket.destroy();
  });
});
