/** A real HTTP server on a loopback port before a test engine, and ways to call it: as a client, or byte by byte. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { Agent, request, type Dispatcher } from "undici";
import { KeyRing } from "../../../emulator/core/key-ring.ts";
import { createHttpServer, type HttpServer } from "../../../emulator/http/server.ts";
import { createTestEngine, type TestEngine } from "../engine-harness.ts";

export const KEY = "test-key";

export interface TestHttp extends AsyncDisposable {
  readonly test: TestEngine;
  readonly http: HttpServer;
  readonly url: string;
  /** Calls with the good key; a body that is no text or bytes is sent as JSON. */
  call(method: Dispatcher.HttpMethod, path: string, options?: CallOptions): Promise<TestAnswer>;
  /** The answer as it comes, for streams. */
  open(path: string, headers?: Record<string, string>): Promise<Dispatcher.ResponseData>;
  /** Sends text over a new connection as it stands. */
  socket(text: string | Uint8Array): Promise<Socket>;
  /** Sends text over a new connection and answers everything that came back until the service closed it. */
  raw(text: string | Uint8Array): Promise<string>;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData["headers"];
  readonly text: string;
  /** The body parsed; undefined for an empty one. */
  readonly json: unknown;
}

/** Starts everything; `await using` takes it down again. */
export async function startTestHttp(
  options: { readonly stopGraceMs?: number } = {},
): Promise<TestHttp> {
  const test = await createTestEngine();
  const digest = createHash("sha256").update(KEY).digest("hex");
  const keys = new KeyRing([
    { id: "user", scope: "user", digest, createdAt: "2026-01-01T00:00:00Z" },
  ]);
  const http = createHttpServer({ engine: test.engine, keys, log: test.engine.log, ...options });
  const url = await http.start({ host: "127.0.0.1", port: 0 });
  const port = Number(new URL(url).port);
  const dispatcher = new Agent({ pipelining: 1 });
  const authorization = `Bearer ${KEY}`;
  const sockets = new Set<Socket>();
  const socket = async (text: string | Uint8Array) => {
    const opened = connect(port, "127.0.0.1");
    sockets.add(opened);
    await once(opened, "connect");
    opened.write(text);
    return opened;
  };
  return {
    test,
    http,
    url,
    async call(method, path, { body, headers, signal } = {}) {
      const answer = await request(`${url}${path}`, {
        method,
        dispatcher,
        headers: { authorization, ...headers },
        ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
      });
      const text = await answer.body.text();
      const json: unknown = text === "" ? undefined : JSON.parse(text);
      return { status: answer.statusCode, headers: answer.headers, text, json };
    },
    open: (path, headers) =>
      request(`${url}${path}`, { dispatcher, headers: { authorization, ...headers } }),
    socket,
    async raw(text) {
      const opened = await socket(text);
      let received = "";
      opened.setEncoding("utf8").on("data", (piece: string) => (received += piece));
      await once(opened, "close");
      return received;
    },
    async [Symbol.asyncDispose]() {
      for (const opened of sockets) opened.destroy();
      await dispatcher.destroy();
      await http.stop();
      await test.stop();
    },
  };
}

function isRaw(body: unknown): body is string | Uint8Array {
  return typeof body === "string" || body instanceof Uint8Array;
}

/** After bad input: nothing of it was stored, and the service still takes jobs on its kept connections. */
export async function assertUnharmed(service: TestHttp): Promise<void> {
  const { json } = await service.call("GET", "/v2/echo/health");
  const { inQueue, inProgress } = (json as { jobs: { inQueue: number; inProgress: number } }).jobs;
  assert.deepEqual({ inQueue, inProgress }, { inQueue: 0, inProgress: 0 });
  const { status } = await service.call("POST", "/v2/echo/run", { body: { input: {} } });
  assert.equal(status, 200);
  await service.call("POST", "/v2/echo/purge-queue");
}
