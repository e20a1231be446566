/** Load balancing endpoints of another replica: requests, WebSockets, and proof of identity. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import {
  createServer as createSecureServer,
  getCACertificates,
  setDefaultCACertificates,
} from "node:tls";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  CHANNEL_PATH,
  CHANNEL_PROTOCOL,
} from "../../../../emulator/http/replicas/channel/reach-replica.ts";
import {
  type ChannelAuth,
  channelAuthKey,
  channelAuthOf,
} from "../../../../emulator/http/replicas/channel/channel-auth.ts";
import { ScriptedCluster, type ScriptedOwnership } from "../../scripted-ownership.ts";
import { type BalancedHttp, startBalancedHttp } from "../balancing/balanced-harness.ts";
import { KEY, startTestHttp, type TestHttp } from "../http-harness.ts";
import { cert, key } from "./localhost-certificate.ts";
import { until } from "./replicas-harness.ts";

const HEAD = `Host: x\r\nAuthorization: ${KEY}\r\n`;
const UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\n";

let cluster: ScriptedCluster;
let owner: BalancedHttp;
let ofOwner: ScriptedOwnership;
let front: TestHttp;

beforeEach(async () => {
  cluster = new ScriptedCluster();
  cluster.rest = "owner";
  ofOwner = cluster.join("owner", () => owner.service.url);
  owner = await startBalancedHttp({ stopGraceMs: 50, ownership: ofOwner });
  const ownership = cluster.join("front", () => front.url);
  front = await startTestHttp({ stopGraceMs: 50, ownership });
});
afterEach(async () => {
  await front[Symbol.asyncDispose]();
  await owner[Symbol.asyncDispose]();
});

function openWebSocket(more = ""): Promise<Socket> {
  return front.socket(`GET /lb/web/chat HTTP/1.1\r\n${HEAD}${UPGRADE}${more}\r\n`);
}

/** The next upgrade request at the worker's server; it is accepted, and all bytes are echoed. */
async function accepted(): Promise<IncomingMessage> {
  const [request, socket] = (await once(owner.server, "upgrade")) as [IncomingMessage, Socket];
  socket.write(`HTTP/1.1 101 Now\r\n${UPGRADE}\r\n`);
  socket.on("error", () => undefined).pipe(socket);
  return request;
}

it("a request is answered by the worker's server, which sees the client's address", async () => {
  owner.server.on("request", (request, response) =>
    response.end(`${request.method} ${String(request.headers["x-forwarded-for"])}`),
  );
  const answer = await front.raw(
    `POST /lb/web/ HTTP/1.1\r\n${HEAD}Sv-Replica: mine\r\nConnection: close\r\nContent-Length: 2\r\n\r\nab`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*POST 127\.0\.0\.1/u);
});

it("a WebSocket reaches the worker, byte for byte, and each end can close it", async () => {
  const client = await openWebSocket("Sv-Replica: mine\r\n");
  const { headers } = await accepted();
  expect(headers).not.toHaveProperty("sv-replica");
  expect(headers["x-forwarded-for"]).toBe("127.0.0.1");
  client.setEncoding("utf8");
  let received = "";
  client.on("data", (text: string) => (received += text));
  await until(() => received.includes("\r\n\r\n"));
  expect(received).toMatch(/^HTTP\/1\.1 101 Now\r\n/u);
  client.write("hello");
  await until(() => received.endsWith("hello"));
  client.destroy();
  const { balancer } = owner.service.test.engine;
  await until(() => balancer.demand("web").running === 0);
});

it("a stopping owner answers requests and WebSockets while it owns the endpoint", async () => {
  owner.server.on("request", (_request, response) => response.end("answered"));
  const works = Promise.withResolvers<void>();
  const stopped = owner.service.http.stop(works.promise);
  const asked = await front.raw(`GET /lb/web/ HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`);
  expect(asked).toContain("answered");
  const client = await openWebSocket();
  await accepted();
  client.destroy();
  works.resolve();
  await stopped;
});

it("requests and WebSockets that wait for a worker go to the endpoint's next owner", async () => {
  const { balancer, ownership } = owner.service.test.engine;
  const isLeaving = vi.spyOn(ownership, "isHeldBack").mockReturnValue(true);
  const asked = front.raw(`GET /lb/web/ HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`);
  const client = await openWebSocket();
  await until(() => balancer.demand("web").waiting === 2);
  const { clock } = front.test;
  const { armed } = clock;
  balancer.abandon(() => true);
  await until(() => clock.armed >= armed + 2);
  isLeaving.mockRestore();
  owner.server.on("request", (_request, response) => response.end("answered"));
  const upgraded = accepted();
  cluster.announce();
  expect(await asked).toContain("answered");
  expect((await upgraded).url).toBe("/chat");
  client.destroy();
});

it("a refused WebSocket gets the owner's answer", async () => {
  const client = await front.socket(
    `GET /lb/web/ HTTP/1.1\r\nHost: x\r\nAuthorization: wrong\r\n${UPGRADE}\r\n`,
  );
  const [answer] = (await once(client.setEncoding("utf8"), "data")) as [string];
  expect(answer).toMatch(/^HTTP\/1\.1 401 /u);
});

it("a WebSocket waits for a moving endpoint", async () => {
  const { clock } = front.test;
  ofOwner.believes.set("web", undefined);
  const { armed } = clock;
  await openWebSocket();
  await until(() => clock.armed > armed);
  ofOwner.believes.clear();
  cluster.announce();
  expect((await accepted()).url).toBe("/chat");
});

it("a WebSocket of an endpoint without an owner is refused after two seconds", async () => {
  const { clock } = front.test;
  cluster.owners.set("web", undefined);
  const { armed } = clock;
  const client = await openWebSocket();
  await until(() => clock.armed > armed);
  const answered = once(client.setEncoding("utf8"), "data");
  await clock.advance(2_000);
  expect(await answered).toEqual([
    expect.stringMatching(/^HTTP\/1\.1 503 [^]*retry-after: 1\r\n/u),
  ]);
});

it.each([
  ["without a signature", async () => ""],
  ["with the signature of another key", () => newAuth({ key: channelAuthKey(Buffer.alloc(32)) })],
  ["with the signature of another request", () => newAuth({ path: "/other" })],
  ["with the signature for another replica", () => newAuth({ to: "front" })],
  ["with a nonce of another replica", () => newAuth({ asked: front.url })],
  ["with its own nonce", () => newAuth({ nonce: "1.2.3" })],
])("a caller that asks for a replica connection %s is treated as a client", async (_, make) => {
  const answer = await owner.service.raw(wanting(await make()));
  expect(answer).toMatch(/^HTTP\/1\.1 404 /u);
});

it("recorded traffic between two replicas opens no connection at either of them", async () => {
  const overheard: Buffer[] = [];
  const listener = createServer((near) => {
    const far = connect(owner.port, "127.0.0.1");
    near.on("data", (bytes: Buffer) => void overheard.push(bytes));
    for (const socket of [near, far]) socket.on("error", () => undefined);
    near.pipe(far).pipe(near);
  });
  listener.listen({ host: "127.0.0.1", port: 0 });
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  cluster.replicas.set("owner", { id: "owner", address: `http://127.0.0.1:${port}` });
  owner.server.on("request", (_request, response) => response.end("answered"));
  const asked = await front.raw(`GET /lb/web/ HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`);
  expect(asked).toContain("answered");
  const client = await openWebSocket();
  await accepted();
  client.destroy();
  listener.close();
  const marks = Buffer.concat(overheard)
    .toString("latin1")
    .matchAll(/sv-replica: ([^\r]+)/giu);
  const heard = Array.from(marks, ([, auth = ""]) => auth);
  expect(heard.length).toBeGreaterThanOrEqual(2);
  for (const auth of heard) {
    expect.soft(await owner.service.raw(wanting(auth)), auth).toMatch(/^HTTP\/1\.1 404 /u);
    expect.soft(await front.raw(wanting(auth)), auth).toMatch(/^HTTP\/1\.1 404 /u);
  }
});

it("a replica without proof of its identity gets no data", async () => {
  // Another replica with an equal secret key now has the address.
  cluster.replicas.set("owner", { id: "former", address: owner.service.url });
  owner.server.on("request", (_request, response) => response.end("answered"));
  const { clock } = front.test;
  const { armed } = clock;
  const refused = front.raw(`GET /lb/web/ HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`);
  await until(() => clock.armed > armed);
  await clock.advance(2_000);
  expect(await refused).toMatch(/^HTTP\/1\.1 503 /u);
});

it("a replica that connects just before the end does not delay a stop", async () => {
  const ownership = cluster.join("late", () => late.url);
  await using late = await startTestHttp({ stopGraceMs: 60_000, ownership });
  const auth = await newAuth({ to: "late", asked: late.url });
  const socket = await late.socket(wanting(auth, "Upgrade").slice(0, -2));
  const answer: Buffer[] = [];
  socket.on("data", (bytes: Buffer) => void answer.push(bytes));
  const stopped = late.http.stop();
  await late.test.clock.settle();
  socket.write("\r\n");
  await stopped;
  expect(Buffer.concat(answer).toString()).toBe("");
});

it("a caller with the key is connected, and cut off when it sends bytes that are no frame", async () => {
  const auth = await newAuth({});
  const answer = await owner.service.raw(`${wanting(auth, "Upgrade")}${"\xff".repeat(9)}`);
  expect(answer).toMatch(/^HTTP\/1\.1 101 [^]*\r\n\r\n$/u);
});

it("a replica can be reached by https, with its certificate checked", async () => {
  owner.server.on("request", (_request, response) => response.end("secure"));
  const tls = createSecureServer({ cert, key }, (near) => {
    const far = connect(owner.port, "127.0.0.1");
    for (const socket of [near, far]) socket.on("error", () => undefined);
    near.pipe(far).pipe(near);
  });
  tls.listen({ host: "127.0.0.1", port: 0 });
  await once(tls, "listening");
  const { port } = tls.address() as AddressInfo;
  cluster.replicas.set("owner", { id: "owner", address: `https://localhost:${port}` });
  const ask = () => front.raw(`GET /lb/web/ HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`);
  const { clock } = front.test;
  const { armed } = clock;
  const refused = ask();
  await until(() => clock.armed > armed);
  await clock.advance(2_000);
  expect(await refused).toMatch(/^HTTP\/1\.1 503 /u);
  const trusted = getCACertificates();
  setDefaultCACertificates([...trusted, cert]);
  expect(await ask()).toMatch(/^HTTP\/1\.1 200 [^]*secure/u);
  setDefaultCACertificates(trusted);
  tls.close();
});

interface AuthOptions extends Partial<ChannelAuth> {
  readonly key?: Uint8Array;
  /** The replica that gives the nonce. */
  readonly asked?: string;
}

/** A header with the signature of a replica `other` that connects with the owner; options change details. */
async function newAuth({
  key: signedWith = channelAuthKey(secretKey()),
  asked = owner.service.url,
  ...different
}: AuthOptions): Promise<string> {
  const question = { headers: { "sv-replica": "other;question" } };
  const { nonce } = (await (
    await fetch(`${asked}${CHANNEL_PATH}`, question)
  ).json()) as ChannelAuth;
  const request = { method: "GET", path: CHANNEL_PATH, address: "" };
  return channelAuthOf(signedWith, { from: "other", to: "owner", nonce, ...request, ...different });
}

function wanting(auth: string, connection = "Upgrade, close"): string {
  const upgrade = `Connection: ${connection}\r\nUpgrade: ${CHANNEL_PROTOCOL}\r\n`;
  return `GET ${CHANNEL_PATH} HTTP/1.1\r\n${HEAD}${upgrade}Sv-Replica: ${auth}\r\n\r\n`;
}

function secretKey(): Uint8Array {
  return owner.service.test.engine.secretKey.findOrMake();
}
