/** Transport of the worker port: windows, strange streams, silent connections. */
import { type EventEmitter, once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import net, { type Socket } from "node:net";
import tls from "node:tls";
import { status } from "@grpc/grpc-js";
import { afterEach, expect, it, vi } from "vitest";
import type { Admission } from "../../../emulator/grpc/worker-admission.ts";
import { WorkerServer } from "../../../emulator/grpc/worker-server.ts";
import { sessionsOn } from "../../../emulator/engine/workers/session/worker-session.ts";
import { WORKER_SERVICE } from "../../../runtime/protocol/wire/worker-wire.ts";
import { makeCertificate } from "../../setup/certificates.ts";
import { createTestEngine } from "../engine-harness.ts";

const WINDOW_BYTES = 4_000_000;
const USUAL_WINDOW_BYTES = 65_535;
const SESSION_MS = 30_000;

const SESSION = {
  ":method": "POST",
  ":path": WORKER_SERVICE.session.path,
  "content-type": "application/grpc",
  te: "trailers",
};

afterEach(() => void vi.useRealTimers());

/** A server that admits the only worker, or follows `admission`. */
async function open(admission?: Admission) {
  const test = await createTestEngine();
  const { worker } = await test.connectWorker();
  const said: string[] = [];
  const say = (_: unknown, sentence: string) => void said.push(sentence);
  const server = new WorkerServer({
    address: "127.0.0.1:0",
    log: { info: say, warn: say, error: say },
    admit: () => admission ?? { worker },
    openSession: sessionsOn(test.engine),
  });
  await server.start();
  const stop = async () => {
    await server.stop();
    await test[Symbol.asyncDispose]();
  };
  return { server, said, [Symbol.asyncDispose]: stop };
}

const REFUSED: Admission = { code: status.UNAUTHENTICATED, reason: "as told" };

async function clientOf(server: WorkerServer): Promise<ClientHttp2Session> {
  const client = connectHttp2(`http://${server.address}`);
  client.on("error", () => undefined);
  await once(client, "remoteSettings");
  return client;
}

function call(client: ClientHttp2Session, headers: object = {}) {
  const stream = client.request({ ...SESSION, ...headers });
  stream.on("error", () => undefined).resume();
  return stream;
}

/** The error may come before. */
async function closed(what: EventEmitter): Promise<void> {
  return new Promise((resolve) => void what.once("close", resolve));
}

it("an admitted session has room for a whole bundle in transit, and a refused one has not", async () => {
  await using good = await open();
  const client = await clientOf(good.server);
  call(client);
  await expect.poll(() => client.remoteSettings.initialWindowSize).toBe(WINDOW_BYTES);
  client.destroy();
  await using other = await open(REFUSED);
  const refused = await clientOf(other.server);
  await once(call(refused), "response");
  expect(refused.remoteSettings.initialWindowSize).toBe(USUAL_WINDOW_BYTES);
  refused.destroy();
});

it("sessions that begin at once on one connection are each answered", async () => {
  await using port = await open(REFUSED);
  const client = await clientOf(port.server);
  const answers = Array.from({ length: 12 }, () => once(call(client), "response"));
  for (const [headers] of await Promise.all(answers))
    expect(headers).toMatchObject({ "grpc-status": String(status.UNAUTHENTICATED) });
  client.destroy();
});

it("sessions that are admitted at once on one connection widen its window once", async () => {
  await using port = await open();
  const client = await clientOf(port.server);
  let changes = 0;
  client.on("remoteSettings", () => (changes += 1));
  for (let left = 12; left > 0; left -= 1) call(client);
  await expect.poll(() => client.remoteSettings.initialWindowSize).toBe(WINDOW_BYTES);
  await new Promise((resolve) => void client.ping(resolve));
  expect(changes).toBe(1);
  expect(port.said).toEqual([]);
  client.destroy();
});

it("streams of any path and type that are reset at once have no effect", async () => {
  await using port = await open(REFUSED);
  const strange = [{}, { ":path": "/nothing" }, { "content-type": "text/html" }];
  for (const headers of strange) {
    const client = await clientOf(port.server);
    const gone = Array.from({ length: 10 }, () => {
      const stream = call(client, headers);
      stream.close(8);
      return closed(stream);
    });
    await Promise.all(gone);
    await once(call(client), "response");
    client.destroy();
  }
  expect(port.said).toEqual([]);
});

it("a stream with compressed messages is refused", async () => {
  await using port = await open();
  const client = await clientOf(port.server);
  const stream = call(client, { "grpc-encoding": "gzip" });
  await closed(stream);
  expect(stream.rstCode).toBe(7);
  client.destroy();
});

it("a connection without a session is closed in time, at both ports and in every state", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  await using port = await open(REFUSED);
  const { cert, key } = makeCertificate();
  const certificate = { cert: Buffer.from(cert), key: Buffer.from(key) };
  const secure = await port.server.listenTls({
    listen: { host: "127.0.0.1", port: 0 },
    certificate,
  });
  const at = (to: number) => net.connect(to, "127.0.0.1").on("error", () => undefined);
  const halfOpen = [at(secure.port), at(Number(port.server.address.split(":").at(-1)))];
  const agreed = tls.connect({ host: "127.0.0.1", port: secure.port, rejectUnauthorized: false });
  agreed.on("error", () => undefined);
  const all: Socket[] = [...halfOpen, agreed];
  const connected = [
    ...halfOpen.map((each) => once(each, "connect")),
    once(agreed, "secureConnect"),
  ];
  await Promise.all(connected);
  const client = await clientOf(port.server);
  await once(call(client), "response");
  const gone = [...all, client].map(closed);
  for (const each of all) each.resume();
  vi.advanceTimersByTime(SESSION_MS);
  await Promise.all(gone);
  expect(port.said).toContainEqual(expect.stringContaining("not let in within 30 s"));
});

it("a connection with a session stays, and is closed in time when the session has ended", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  await using port = await open();
  const client = await clientOf(port.server);
  const stream = call(client);
  await expect.poll(() => client.remoteSettings.initialWindowSize).toBe(WINDOW_BYTES);
  vi.advanceTimersByTime(SESSION_MS);
  await new Promise((resolve) => void client.ping(resolve));
  expect(client.destroyed).toBe(false);
  stream.close();
  await closed(stream);
  // The server knows by now that the stream is closed.
  await new Promise((resolve) => void client.ping(resolve));
  vi.advanceTimersByTime(SESSION_MS);
  await once(client, "close");
});
