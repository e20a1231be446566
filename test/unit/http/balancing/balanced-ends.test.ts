/** Ends of requests to a load balancing endpoint when one side goes away, is too slow, or sends too much. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BalancedHttp, closing, startBalancedHttp } from "./balanced-harness.ts";
import { KEY } from "../http-harness.ts";

const HEAD = `Host: x\r\nAuthorization: Bearer ${KEY}\r\nConnection: close\r\n`;
const LIMIT = 30_000_000;

let balanced: BalancedHttp;

beforeEach(async () => {
  balanced = await startBalancedHttp({ stopGraceMs: 50 });
});
afterEach(() => balanced[Symbol.asyncDispose]());

function get(more = ""): Promise<string> {
  return balanced.service.raw(`GET /lb/web/ HTTP/1.1\r\n${HEAD}${more}\r\n`);
}

/** The answer as soon as it comes: the service waits for a client that still sends. */
async function answerTo(text: string | Uint8Array): Promise<string> {
  const client = await balanced.service.socket(text);
  const [answer] = (await once(client.setEncoding("utf8"), "data")) as [string];
  client.destroy();
  return answer;
}

async function nextExchange(): Promise<[IncomingMessage, ServerResponse]> {
  return (await once(balanced.server, "request")) as [IncomingMessage, ServerResponse];
}

function openWebSocket(early = ""): Promise<Socket> {
  return balanced.service.socket(
    `GET /lb/web/chat HTTP/1.1\r\n${HEAD.replace("close", "Upgrade")}Upgrade: websocket\r\nSec-WebSocket-Key: k\r\n\r\n${early}`,
  );
}

/** Waits until no request is in flight. */
async function quiet(): Promise<void> {
  const { balancer } = balanced.service.test.engine;
  while (balancer.demand("web").running > 0) await new Promise(setImmediate);
  expect(balancer.demand("web")).toEqual({ waiting: 0, running: 0, waitingSince: undefined });
}

describe("a request to a load balancing endpoint", () => {
  it("is answered with 502 when the server breaks off or sends no HTTP", async () => {
    const breaks = get();
    const [request] = await nextExchange();
    request.socket.destroy();
    expect(await breaks).toMatch(/^HTTP\/1.1 502 .*"code":"worker_failed"/su);

    const nonsense = get();
    const [, { socket }] = await nextExchange();
    socket?.end("nonsense\r\n\r\n");
    expect(await nonsense).toMatch(/^HTTP\/1.1 502 .*"code":"worker_failed"/su);

    const switches = get();
    const [, response] = await nextExchange();
    response.socket?.write("HTTP/1.1 101 Yes\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
    expect(await switches).toMatch(/^HTTP\/1.1 502 /u);
    await quiet();
  });

  it("to a worker without a listener takes the worker out of rotation, and fails at the third try", async () => {
    const { clock, logged } = balanced.service.test;
    balanced.server.close();
    const answers: string[] = [];
    void get().then((text) => answers.push(text));
    while (answers.length === 0) await clock.advance(1_000);
    expect(answers[0]).toMatch(/^HTTP\/1.1 502 .*cannot be reached: .*ECONNREFUSED/su);
    const states = logged
      .map(({ message }) => message)
      .filter((text) => text.startsWith("worker is"));
    // The test answers its health checks, always with success.
    expect(states).toEqual(
      Array.from({ length: 3 }, () => ["worker is ready", "worker is unhealthy"]).flat(),
    );
    await quiet();
  });

  it("with an answer that breaks off is cut off, so that the client sees it is incomplete", async () => {
    const cut = get();
    const [request, response] = await nextExchange();
    response.write("half");
    await new Promise(setImmediate);
    request.socket.destroySoon();
    const answer = await cut;
    expect(answer).toMatch(/^HTTP\/1.1 200 .*4\r\nhalf\r\n$/su);
    await quiet();
  });

  it("ends for the server when its client goes away, before or during the answer", async () => {
    for (const begins of [false, true]) {
      const exchange = nextExchange();
      const client = await balanced.service.socket(`GET /lb/web/ HTTP/1.1\r\n${HEAD}\r\n`);
      const [, response] = await exchange;
      if (begins) {
        response.write("half");
        await once(client, "data");
      }
      const closed = once(response, "close");
      client.destroy();
      await closed;
      expect(response.writableFinished).toBe(false);
      await quiet();
    }
  });

  it("is refused and not passed on when its announced body is too large", async () => {
    let count = 0;
    balanced.server.on("request", () => (count += 1));
    const answer = await answerTo(
      `GET /lb/web/ HTTP/1.1\r\n${HEAD}Content-Length: ${LIMIT + 1}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 413 .*"code":"payload_too_large"/su);
    expect(count).toBe(0);
  });

  it("is refused as soon as its body is too large, and the server's connection is cut", async () => {
    const exchange = nextExchange();
    const piece = Buffer.alloc(LIMIT / 2, "x");
    const chunk = Buffer.concat([
      Buffer.from(`${piece.length.toString(16)}\r\n`),
      piece,
      Buffer.from("\r\n"),
    ]);
    const answer = answerTo(
      Buffer.concat([
        Buffer.from(`PUT /lb/web/ HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`),
        chunk,
        chunk,
        Buffer.from("1\r\nx\r\n"),
      ]),
    );
    const [request] = await exchange;
    const closed = closing(request);
    request.resume();
    expect(await answer).toMatch(/^HTTP\/1.1 413 .*"code":"payload_too_large"/su);
    await closed;
    expect(request.complete).toBe(false);
    await quiet();
  });

  it("with too large an answer gets 502 if that is announced, else is cut off and logged", async () => {
    const announced = get();
    const [, large] = await nextExchange();
    large.writeHead(200, { "content-length": LIMIT + 1 }).flushHeaders();
    expect(await announced).toMatch(/^HTTP\/1.1 502 .*larger than 30000000 bytes/su);

    const streamed = get();
    const [, endless] = await nextExchange();
    endless.write(Buffer.alloc(LIMIT));
    endless.end("x");
    const answer = await streamed;
    expect(answer).toMatch(/^HTTP\/1.1 200/u);
    expect(answer.endsWith("0\r\n\r\n")).toBe(false);
    const warned = balanced.service.test.logged.filter(({ level }) => level === "warn");
    expect(warned).toMatchObject([{ message: "an answer of a worker's server was cut off" }]);
    await quiet();
  });

  it("can be answered before its body has come", async () => {
    const exchange = nextExchange();
    const client = await balanced.service.socket(
      `PUT /lb/web/ HTTP/1.1\r\n${HEAD}Content-Length: 1000\r\n\r\nbegins`,
    );
    const [, response] = await exchange;
    response.writeHead(403).end("no");
    const [answer] = (await once(client.setEncoding("utf8"), "data")) as [string];
    expect(answer).toMatch(/^HTTP\/1.1 403/u);
    await quiet();
  });

  it("is answered with 504 when the server takes too long, which the server notices", async () => {
    const slow = get();
    const [, response] = await nextExchange();
    const closed = once(response, "close");
    await balanced.service.test.clock.advance(330_000);
    expect(await slow).toMatch(/^HTTP\/1.1 504 .*"code":"processing_timeout"/su);
    await closed;
    await quiet();
  });

  it("finishes when the service stops, and a later one is refused", async () => {
    const last = get();
    const [, response] = await nextExchange();
    balanced.server.on("upgrade", (_request, socket: Socket) =>
      socket
        .on("error", () => undefined)
        .write("HTTP/1.1 101 Now\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
    );
    const socket = await openWebSocket();
    await once(socket, "data");
    const hungUp = closing(socket.resume());
    const stopping = balanced.service.http.stop();
    // The grace is over: tunnels have been ended.
    await hungUp;
    response.end("done");
    expect(await last).toMatch(/^HTTP\/1.1 200 .*done/su);
    await stopping;
  });
});

describe("a WebSocket", () => {
  it("passes bytes both ways, also those sent with the heads, and closes each half separately", async () => {
    balanced.server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
      expect(request.headers).toMatchObject({ upgrade: "websocket", "sec-websocket-key": "k" });
      expect(request.headers).not.toHaveProperty("authorization");
      socket.write(
        "HTTP/1.1 101 Now\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-A: 1\r\n\r\nhello",
      );
      let got = head.toString();
      socket.on("data", (bytes: Buffer) => (got += bytes.toString()));
      // Only after the client's half is closed.
      socket.on("end", () => socket.end(`got ${got}`));
    });
    const client = await openWebSocket("early");
    client.setEncoding("utf8");
    let received = "";
    client.on("data", (piece: string) => (received += piece));
    while (!received.includes("hello")) await once(client, "data");
    expect(received).toMatch(/^HTTP\/1.1 101 Now\r\n/u);
    expect(received).toContain("X-A: 1");
    expect(received).toContain(`Sv-Worker-Id: ${balanced.workerId}`);
    client.write("later");
    client.end("last");
    await once(client, "end");
    expect(received).toMatch(/got .*laterlast$/u);
    await quiet();
  });

  it("counts as in flight while it is open, without a limit, and ends with either side", async () => {
    for (const leaves of ["client", "server"] as const) {
      const upgraded = once(balanced.server, "upgrade") as Promise<[IncomingMessage, Socket]>;
      const client = await openWebSocket();
      const [, server] = await upgraded;
      server.write("HTTP/1.1 101 Now\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
      await once(client, "data");
      await balanced.service.test.clock.advance(400_000);
      expect(balanced.service.test.engine.balancer.demand("web").running).toBe(1);
      const [left, other] = leaves === "client" ? [client, server] : [server, client];
      const closed = closing(other.resume());
      left.resetAndDestroy();
      await closed;
      await quiet();
      balanced.server.removeAllListeners("upgrade");
    }
  });

  it("that the server refuses gets the server's answer", async () => {
    balanced.server.on("upgrade", (_request, socket: Socket) =>
      socket.end("HTTP/1.1 426 No\r\nContent-Length: 4\r\n\r\nnope"),
    );
    const client = await openWebSocket();
    let received = "";
    client.setEncoding("utf8").on("data", (piece: string) => (received += piece));
    await once(client, "close");
    expect(received).toMatch(/^HTTP\/1.1 426 No\r\n.*nope$/su);
    await quiet();
  });

  it("is not opened without a valid key", async () => {
    const answer = await balanced.service.raw(
      "GET /lb/web/chat HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1.1 401 .*"code":"unauthorized"/su);
  });

  it("is closed when the service stops", async () => {
    balanced.server.on("upgrade", (_request, socket: Socket) =>
      socket
        .on("error", () => undefined)
        .write("HTTP/1.1 101 Now\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
    );
    const client = await openWebSocket();
    await once(client, "data");
    const closed = once(client.resume(), "close");
    await balanced.service.http.stop();
    await closed;
    await quiet();
    expect(client.destroyed).toBe(true);
  });

  it("of a client that goes away stops waiting for a worker", async () => {
    const { test } = balanced.service;
    const startedAt = test.clock.now();
    await test.addEndpoint("none", { type: "LOAD_BALANCING", workersMax: 0, workersMin: 0 });
    const client = await balanced.service.socket(
      `GET /lb/none/ HTTP/1.1\r\n${HEAD.replace("close", "Upgrade")}Upgrade: websocket\r\n\r\n`,
    );
    const waiting = () => test.engine.balancer.demand("none").waiting;
    while (waiting() === 0) await new Promise(setImmediate);
    client.end();
    while (waiting() > 0) await new Promise(setImmediate);
    expect(test.clock.now()).toBe(startedAt);
  });
});
