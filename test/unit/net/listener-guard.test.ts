/** The bounds of a listener for connections that are not admitted: their number and their time. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { listen } from "../../../emulator/net/listen.ts";
import { ListenerGuard } from "../../../emulator/net/listener-guard.ts";
import { RefusalLog } from "../../../emulator/net/refusal-log.ts";

const MAX = 3;
const LET_IN_MS = 5_000;
const LONG_MS = 1_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

async function guarded(closesWaiting = true) {
  const said: string[] = [];
  const server = createServer();
  const refusals = new RefusalLog((_, sentence) => said.push(sentence));
  const limits = { name: "the port", letInMs: LET_IN_MS, idleMs: 0, waitingMax: MAX } as const;
  const options = { limits: { ...limits, handshakeMs: undefined }, refusals, closesWaiting };
  const guard = new ListenerGuard(server, options);
  const port = await listen(server, { host: "127.0.0.1", port: 0 });
  /** Both ends of a new connection that the server has accepted. */
  const open = async () => {
    const taken = once(server, "connection") as Promise<[Socket]>;
    const client = connect(port, "127.0.0.1").resume();
    client.on("error", () => undefined);
    const [socket] = await taken;
    return { client, socket, closed: once(client, "close") };
  };
  const close = async () => {
    server.close();
    const closed = guard.close(0);
    vi.advanceTimersByTime(0);
    await closed;
  };
  return { guard, open, said, [Symbol.asyncDispose]: close };
}

it("a connection is closed in time unless it is admitted", async () => {
  await using port = await guarded();
  const silent = await port.open();
  const good = await port.open();
  port.guard.letIn(good.socket);
  vi.advanceTimersByTime(LET_IN_MS - 1);
  expect(silent.socket.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  await silent.closed;
  expect(good.socket.destroyed).toBe(false);
  expect(port.said).toEqual(["the port closed a connection that was not let in within 5 s"]);
});

it("a connection that has lost all that it was admitted for is closed in time", async () => {
  await using port = await guarded();
  const { guard } = port;
  const { socket, closed } = await port.open();
  guard.letIn(socket);
  vi.advanceTimersByTime(LET_IN_MS);
  guard.wait(socket);
  vi.advanceTimersByTime(LET_IN_MS - 1);
  expect(socket.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  await closed;
});

it("if too many wait, the one that waits longest makes room for a new one", async () => {
  await using port = await guarded();
  const first = await port.open();
  const good = await port.open();
  port.guard.letIn(good.socket);
  const others = [await port.open(), await port.open()];
  vi.advanceTimersByTime(LONG_MS);
  const next = await port.open();
  await first.closed;
  for (const { socket } of [good, ...others, next]) expect(socket.destroyed).toBe(false);
  expect(port.said).toEqual(["the port closes connections: 3 others are not let in yet"]);
});

it("if too many wait and none has waited for long, the new one is closed", async () => {
  await using port = await guarded();
  const waiting = [await port.open(), await port.open(), await port.open()];
  vi.advanceTimersByTime(LONG_MS - 1);
  const next = await port.open();
  await next.closed;
  for (const { socket } of waiting) expect(socket.destroyed).toBe(false);
});

it("connections that have gone make room", async () => {
  await using port = await guarded();
  for (let left = 3 * MAX; left > 0; left -= 1) {
    const { client, socket } = await port.open();
    client.destroy();
    await once(socket, "close");
  }
  const { socket } = await port.open();
  expect(socket.destroyed).toBe(false);
  expect(port.said).toEqual([]);
});
