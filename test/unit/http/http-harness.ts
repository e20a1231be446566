/** A real HTTP server on a loopback port before a test engine, and calls of it: as a client, or byte by byte. */
import { once } from "node:events";
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { Agent, request, type Dispatcher } from "undici";
import { callerCheck } from "../../../emulator/assembly/callers.ts";
import type { ApiKey } from "../../../emulator/core/access/api-key.ts";
import type { KeyInput } from "../../../emulator/core/access/key-input.ts";
import type { KeyScope } from "../../../emulator/core/access/api-key.ts";
import { digestOf, KeyRing } from "../../../emulator/core/access/key-ring.ts";
import type { CallerCheck } from "../../../emulator/http/operation/access/caller-check.ts";
import { RateLimiter } from "../../../emulator/http/operation/limits/rate-limiter.ts";
import {
  createHttpServer,
  type HttpServer,
  type HttpServerOptions,
} from "../../../emulator/http/server.ts";
import type { EmulatorOptions } from "../../../emulator/options.ts";
import type { Launcher } from "../../../emulator/launch/launcher.ts";
import { LiveWorkers } from "../../../emulator/live/live-workers.ts";
import { sessionsOn } from "../../../emulator/engine/workers/session/worker-session.ts";
import type { Store } from "../../../emulator/store/store.ts";
import type { EngineContext } from "../../../emulator/engine/parts/engine-parts.ts";
import {
  createServiceEngine,
  createTestEngine,
  openReplica,
  type TestEngine,
} from "../engine-harness.ts";
import { assertSandboxed } from "./sandboxed.ts";
import { assertDocumented } from "./documented.ts";

/** A key for everything, the emulator's own operations included. */
export const KEY = "test-key";
/** A key for everything else. */
export const USER_KEY = "users-key";
export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
/** A second key for the same operations. */
export const OTHER_KEY = "other-key";

export interface TestHttp extends AsyncDisposable {
  readonly test: TestEngine;
  readonly http: HttpServer;
  /** Counts of the rate limits; undefined if there are none. */
  readonly gate: RateLimiter | undefined;
  readonly url: string;
  /**
   * Calls with the valid key; a body that is no text or bytes is sent as JSON. Fails if the OpenAPI document does
   * not show the answer.
   */
  call(method: Dispatcher.HttpMethod, path: string, options?: CallOptions): Promise<TestAnswer>;
  /** Submits a job with the input `{}` to `/run`; returns its id. */
  run(endpointId?: string, more?: object): Promise<string>;
  /** The streamed answer. */
  open(path: string, headers?: Record<string, string>): Promise<Dispatcher.ResponseData>;
  /** Sends text unchanged over a new connection. */
  socket(text: string | Uint8Array): Promise<Socket>;
  /** Sends text over a new connection and returns all that came back until the service closed it. */
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
  /** The parsed body; undefined for an empty one. */
  readonly json: unknown;
}

export interface TestHttpOptions
  extends
    Pick<HttpServerOptions, "certificate" | "connectionLimits" | "dashboard" | "workerListener">,
    TestCallers {
  readonly stopGraceMs?: number;
  /** Default: none. */
  readonly limits?: "enforce" | "warn";
  /** Default: an empty one in memory. */
  readonly store?: Store;
  /** By default the test connects its workers itself. */
  readonly launcher?: Launcher;
  /** Replaces the engine made from the two above. */
  readonly engine?: TestEngine;
  /** Default: none, except with `SV_TEST_FORWARDED`. */
  readonly ownership?: HttpServerOptions["ownership"];
}

type Serve = (
  engine: EngineContext,
  ownership: HttpServerOptions["ownership"],
) => { readonly server: HttpServer; readonly gate: RateLimiter | undefined };

const OK = 200;
/** Prefix of the paths of requests about the jobs of an endpoint. */
const JOBS = "/v2/";

/** Number of ids that an engine may draw before they could be another's. */
const IDS_EACH = 1_000_000;

/** Starts everything, without rate limits by default; `await using` stops it again. */
export async function startTestHttp(options: TestHttpOptions = {}): Promise<TestHttp> {
  const { store, launcher, limits, engine: given, ownership: shared, ...others } = options;
  const test =
    given ?? (await (store ? createTestEngine(store, launcher) : createServiceEngine(launcher)));
  const { engine } = test;
  const keys = testKeys(engine);
  const serve: Serve = (at, ownership) => {
    const gate = limits && new RateLimiter(at, limits);
    const server = createHttpServer({
      engine: at,
      callers: testCallers(options),
      keys,
      webhookSecret: WEBHOOK_SECRET,
      log: at.log,
      limits: gate,
      liveWorkers: new LiveWorkers(at, sessionsOn(at)),
      ownership,
      ...others,
    });
    return { gate, server };
  };
  const { gate, server: owner } = serve(engine, shared ?? test.shared?.ownership);
  const ownerUrl = await owner.start({ host: "127.0.0.1", port: 0 });
  const front = await startFront(test, ownerUrl, serve);
  const { server: http, url } = front ?? { server: owner, url: ownerUrl };
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
    gate,
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
      const called = { status: answer.statusCode, headers: answer.headers, text, json };
      assertDocumented(method, path, called);
      assertSandboxed(`${method} ${path}`, answer.headers);
      if (answer.statusCode === OK && path.startsWith(JOBS)) front?.answered();
      return called;
    },
    async run(this: TestHttp, endpointId = "echo", more = {}) {
      const body = { input: {}, ...more };
      const { status, json } = await this.call("POST", `/v2/${endpointId}/run`, { body });
      assert.equal(status, OK);
      return (json as { readonly id: string }).id;
    },
    async open(path, headers) {
      const answer = await request(`${url}${path}`, {
        dispatcher,
        headers: { authorization, ...headers },
      });
      assertSandboxed(`GET ${path}`, answer.headers);
      return answer;
    },
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
      // The server listens to live workers until they have ended.
      test.workers.killAll();
      await http.stop();
      await owner.stop();
      await front?.stop();
      await test.stop();
    },
  };
}

type TestCallers = Pick<EmulatorOptions, "allowedHosts" | "allowedOrigins" | "trustProxy">;

/** By default requests written byte by byte may call the service `x`. */
export function testCallers({
  allowedHosts = ["x"],
  allowedOrigins = [],
  trustProxy = [],
}: TestCallers = {}): CallerCheck {
  return callerCheck("127.0.0.1", { allowedHosts, allowedOrigins, trustProxy });
}

/** Another replica of one store that owns nothing and forwards requests about endpoints. */
async function startFront(
  { shared, clock, engine: { secretKey } }: TestEngine,
  ownerUrl: string,
  serve: Serve,
) {
  if (shared === undefined) return undefined;
  await shared.replicas.settle(ownerUrl);
  const options = { clock, secretKey, drawn: IDS_EACH };
  const test = await openReplica(shared.replicas, undefined, options);
  const { server } = serve(test.engine, test.shared?.ownership);
  const url = await server.start({ host: "127.0.0.1", port: 0 });
  let answered = 0;
  const { metrics, ownership } = test.engine;
  return {
    server,
    url,
    /** Call this with each answered request about jobs. */
    answered: () => (answered += 1),
    async stop() {
      const { series } = metrics.forwarded;
      const passedOn = series.reduce((sum, { value }) => sum + value.count, 0);
      const hasNothing = !ownership.holdsService();
      await test.stop();
      assert(hasNothing, "the replica that was asked had partitions of the store");
      assert(passedOn >= answered, `${answered} were answered, and ${passedOn} passed on`);
    },
  };
}

export function testKeys({ clock }: Pick<TestEngine["engine"], "clock">): KeyRing {
  const keys = [
    record("user", KEY, "all"),
    record("other", OTHER_KEY, "all"),
    record("users", USER_KEY, "user"),
  ];
  return new KeyRing(keys, clock);
}

/** Creates a key over the interface; returns the key and its id. */
export async function makeKey(
  service: TestHttp,
  body: Partial<KeyInput>,
): Promise<{ readonly key: string; readonly id: string }> {
  const { json, status } = await service.call("POST", "/emulator/keys", {
    body: { name: "a key", ...body },
  });
  assert.equal(status, 201);
  return json as { key: string; id: string };
}

/** The id of the resource that is created there. */
export async function made(
  service: Pick<TestHttp, "call">,
  path: string,
  body: object,
): Promise<string> {
  const { json } = await service.call("POST", path, { body });
  return (json as { readonly id: string }).id;
}

function record(id: string, key: string, scope: KeyScope): ApiKey {
  return { id, name: id, scope, digest: digestOf(key), createdAt: "2026-01-01T00:00:00Z" };
}

function isRaw(body: unknown): body is string | Uint8Array {
  return typeof body === "string" || body instanceof Uint8Array;
}

/** Checks after bad input that nothing was stored, and that the service still takes jobs on its open connections. */
export async function assertUnharmed(service: TestHttp): Promise<void> {
  const { json } = await service.call("GET", "/v2/echo/health");
  const { inQueue, inProgress } = (json as { jobs: { inQueue: number; inProgress: number } }).jobs;
  assert.deepEqual({ inQueue, inProgress }, { inQueue: 0, inProgress: 0 });
  const { status } = await service.call("POST", "/v2/echo/run", { body: { input: {} } });
  assert.equal(status, 200);
  await service.call("POST", "/v2/echo/purge-queue");
}
