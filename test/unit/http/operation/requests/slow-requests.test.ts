/** Requests without an end are cut off after their time, however many there are at once. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, it } from "vitest";
import { LIMITS } from "../../../../../runtime/protocol/limits.ts";
import { KEY, startTestHttp, type TestHttp } from "../../http-harness.ts";
import { sized } from "../../../../setup/size.ts";

const COUNT = sized(200, 1_000);
/** Number of connections; both ends of each are in this process. */
const TIME_LIMIT_MS = 60_000;
const HEAD = `POST /v2/echo/run HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\n`;

const TIMED_OUT = /^(?:HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 408 .*"code":"request_timeout"/s;

/**
 * Connections of clients that send `text`, then half of them a byte now and then and half of them nothing, and
 * that never disconnect.
 */
async function slowClients(service: TestHttp, text: string) {
  const port = Number(new URL(service.url).port);
  const sockets = Array.from({ length: COUNT }, () => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    return socket.on("error", () => undefined);
  });
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  for (const socket of sockets) socket.write(text);
  const dribble = setInterval(() => {
    for (const [at, socket] of sockets.entries()) {
      if (at % 2 === 0 && socket.writable) socket.write(" ");
    }
  }, 100);
  return {
    sockets,
    /** Waits until each client has an answer. */
    heard: Promise.all(sockets.map((socket) => new Promise((done) => socket.once("data", done)))),
    /** Answers to the clients until the service closed their connections. */
    ends: Promise.all(sockets.map(lastWords)),
    [Symbol.dispose]() {
      clearInterval(dribble);
      for (const socket of sockets) socket.destroy();
    },
  };
}

function lastWords(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  return new Promise((resolve) => {
    socket.once("end", () => resolve(text)).once("close", () => resolve(text));
  });
}

/** The clients' ends stay open; the service's must not. */
async function allCutOff(sockets: readonly Socket[]): Promise<void> {
  const all = () => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap");
  const ofClients = () => sockets.filter(({ closed }) => !closed);
  await expect.poll(() => all().length - ofClients().length).toBeLessThan(10);
}

it(
  `${COUNT} requests with endless heads are cut off`,
  async () => {
    const connectionLimits = { headersTimeout: 500, connectionsCheckingInterval: 50 };
    await using service = await startTestHttp({ connectionLimits });
    // The router has been loaded by then.
    await service.call("GET", "/v2/echo/health");
    using clients = await slowClients(service, `${HEAD}x-slow: `);
    for (const end of await clients.ends) expect(end).toMatch(TIMED_OUT);
    await allCutOff(clients.sockets);
  },
  TIME_LIMIT_MS,
);

it(
  `${COUNT} requests with endless bodies are cut off after 5 minutes`,
  async () => {
    await using service = await startTestHttp();
    const head = `${HEAD}content-length: 5000000\r\nexpect: 100-continue\r\n\r\n`;
    using clients = await slowClients(service, `${head}{`);
    await clients.heard;
    await service.test.clock.advance(LIMITS.requestMs - 1);
    expect(clients.sockets.filter(({ closed }) => closed)).toEqual([]);
    await service.test.clock.advance(1);
    for (const end of await clients.ends) expect(end).toMatch(TIMED_OUT);
    await allCutOff(clients.sockets);
  },
  TIME_LIMIT_MS,
);
