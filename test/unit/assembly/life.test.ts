/** Stops of an emulator that do not wait, with whatever may be in progress. */
import { once } from "node:events";
import net from "node:net";
import { expect, test } from "vitest";
import { EmulatorLife } from "../../../emulator/assembly/life.ts";
import { startEmulator } from "../../../emulator/index.ts";

/** A drain waits for requests in flight for longer. */
const DRAIN_MS = 5_000;

const KEY = "a-key-of-tests-alone";
const HEADERS = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };

async function connected(url: string, text: string): Promise<net.Socket> {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname).on("error", () => undefined);
  await once(socket, "connect");
  if (text !== "") await new Promise((resolve) => void socket.write(text, resolve));
  return socket;
}

function requestOf(method: string, path: string): string {
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${KEY}\r\n`;
}

test("disposing ends half-sent requests, silent connections, streams and a job that ignores its signal", async () => {
  const started = Promise.withResolvers<void>();
  const emulator = await startEmulator({
    port: 0,
    apiKey: KEY,
    s3: {},
    endpoints: {
      stubborn: {
        handler: () => {
          started.resolve();
          return new Promise(() => undefined);
        },
      },
      streams: {
        async *handler() {
          yield 1;
          await new Promise(() => undefined);
        },
      },
    },
  });
  const run = async (id: string) => {
    const path = `${emulator.url}/v2/${id}/run`;
    const answer = await fetch(path, { method: "POST", headers: HEADERS, body: '{"input":{}}' });
    return ((await answer.json()) as { readonly id: string }).id;
  };
  const stubborn = await run("stubborn");
  await started.promise;
  const stream = `${emulator.url}/v2/streams/stream/${await run("streams")}`;
  const events = await fetch(stream, { headers: { ...HEADERS, accept: "text/event-stream" } });
  const waits = fetch(`${emulator.url}/v2/stubborn/status-sync/${stubborn}`, { headers: HEADERS });
  const sockets = [
    await connected(emulator.url, ""),
    await connected(emulator.url, "POST /v2/stub"),
    await connected(
      emulator.url,
      `${requestOf("POST", "/v2/stubborn/run")}content-length: 100\r\n\r\n{"input"`,
    ),
    await connected(emulator.s3?.endpoint ?? "", "PUT /bucket/k"),
  ];
  const closed = sockets.map((socket) => once(socket.resume(), "close"));
  const at = performance.now();
  await emulator[Symbol.asyncDispose]();
  expect(performance.now() - at).toBeLessThan(DRAIN_MS);
  await Promise.all(closed);
  await Promise.allSettled([events.text(), waits]);
});

test("a kill hastens a drain that waits for a half-sent request", async () => {
  const emulator = await startEmulator({
    port: 0,
    apiKey: KEY,
    endpoints: { a: { handler: () => 1 } },
  });
  const socket = await connected(emulator.url, "POST /v2/a/run HT");
  const closed = once(socket.resume(), "close");
  const at = performance.now();
  const drained = emulator.stop("drain");
  await emulator.stop("kill");
  await Promise.all([drained, closed]);
  expect(performance.now() - at).toBeLessThan(DRAIN_MS);
});

const FUNCTIONS = { endpoints: { a: { handler: () => 1 } } };

test.each([
  ["functions at any free port", { ...FUNCTIONS, port: 0 }, false],
  ["functions at a port of its own", { ...FUNCTIONS, port: 7_080 }, true],
  ["functions at the default port", FUNCTIONS, true],
  ["functions with a data directory", { ...FUNCTIONS, port: 0, dataDir: "/data" }, true],
  ["files", { handlers: [{ id: "a", path: "/a.ts" }], port: 0 }, true],
  ["nothing yet", { port: 0 }, true],
])("an emulator with %s holds its process or not", (_, options, holds) => {
  expect(new EmulatorLife(options).holdsProcess).toBe(holds);
});
