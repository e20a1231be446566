/** Load balancing endpoints of another replica: requests, WebSockets, and who may say to be a replica. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import {
  createServer as createSecureServer,
  getCACertificates,
  setDefaultCACertificates,
} from "node:tls";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  CHANNEL_PATH,
  CHANNEL_PROTOCOL,
} from "../../../../emulator/http/forwarding/channel/reach-replica.ts";
import { markKey, markOf } from "../../../../emulator/http/forwarding/channel/mark.ts";
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

/** The next request for an upgrade that the worker's server gets; it is accepted, and all bytes come back. */
async function accepted(): Promise<IncomingMessage> {
  const [request, socket] = (await once(owner.server, "upgrade")) as [IncomingMessage, Socket];
  socket.write(`HTTP/1.1 101 Now\r\n${UPGRADE}\r\n`);
  socket.on("error", () => undefined).pipe(socket);
  return request;
}

it("a request is answered by the worker's server, who sees the client's address", async () => {
  owner.server.on("request", (request, response) =>
    response.end(`${request.method} ${String(request.headers["x-forwarded-for"])}`),
  );
  const answer = await front.raw(
    `POST /lb/web/ HTTP/1.1\r\n${HEAD}Sv-Replica: mine\r\nConnection: close\r\nContent-Length: 2\r\n\r\nab`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*POST 127\.0\.0\.1/u);
});

it("a WebSocket is connected with the worker, byte for byte, and each end may hang up", async () => {
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

it("a WebSocket that is refused is answered as the owner says", async () => {
  const client = await front.socket(
    `GET /lb/web/ HTTP/1.1\r\nHost: x\r\nAuthorization: wrong\r\n${UPGRADE}\r\n`,
  );
  const [answer] = (await once(client.setEncoding("utf8"), "data")) as [string];
  expect(answer).toMatch(/^HTTP\/1\.1 401 /u);
});

it("a WebSocket waits for an endpoint that moves", async () => {
  const { clock } = front.test;
  ofOwner.believes.set("web", undefined);
  const { armed } = clock;
  await openWebSocket();
  await until(() => clock.armed > armed);
  ofOwner.believes.clear();
  cluster.announce();
  expect((await accepted()).url).toBe("/chat");
});

it("a WebSocket of an endpoint that nobody has is refused after two seconds", async () => {
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
  ["without a mark", ""],
  ["with the mark of another key", "other"],
  ["with the mark of another request", "/other"],
])("who wants to be connected as a replica %s is a client like any other", async (_, wrong) => {
  const wrongKey = markKey(wrong === "other" ? Buffer.alloc(32) : secretKey());
  const path = wrong.startsWith("/") ? wrong : CHANNEL_PATH;
  const request = { from: "evil", at: Date.now(), address: "", method: "GET", path };
  const mark = wrong === "" ? "" : `Sv-Replica: ${markOf(wrongKey, request)}\r\n`;
  const answer = await owner.service.raw(
    `GET ${CHANNEL_PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: ${KEY}\r\nConnection: Upgrade, close\r\nUpgrade: ${CHANNEL_PROTOCOL}\r\n${mark}\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 404 /u);
});

it("a replica that is connected at the last moment keeps nobody from stopping", async () => {
  const ownership = cluster.join("late", () => late.url);
  await using late = await startTestHttp({ stopGraceMs: 60_000, ownership });
  const asked = { from: "other", at: Date.now(), address: "", method: "GET", path: CHANNEL_PATH };
  const socket = await late.socket(
    `GET ${CHANNEL_PATH} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${CHANNEL_PROTOCOL}\r\nSv-Replica: ${markOf(markKey(secretKey()), asked)}\r\n`,
  );
  const answer: Buffer[] = [];
  socket.on("data", (bytes: Buffer) => void answer.push(bytes));
  const stopped = late.http.stop();
  await late.test.clock.settle();
  socket.write("\r\n");
  await stopped;
  expect(Buffer.concat(answer).toString()).toBe("");
});

it("who has the key is connected, and cut off for what is no frame", async () => {
  const request = { from: "other", at: Date.now(), address: "", method: "GET", path: CHANNEL_PATH };
  const answer = await owner.service.raw(
    `GET ${CHANNEL_PATH} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${CHANNEL_PROTOCOL}\r\nSv-Replica: ${markOf(markKey(secretKey()), request)}\r\n\r\n${"\xff".repeat(9)}`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 101 [^]*\r\n\r\n$/u);
});

it("a replica may be reached by https, whose certificate is checked", async () => {
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

function secretKey(): Uint8Array {
  return owner.service.test.engine.secretKey.findOrMake();
}
