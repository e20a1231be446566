/** A replica of another version: unknown messages are ignored, or end one request alone. */
import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { Channel } from "../../../../emulator/http/replicas/channel/channel.ts";
import type { FrameKind } from "../../../../emulator/http/replicas/channel/frames.ts";
import { channelAuthKey } from "../../../../emulator/http/replicas/channel/channel-auth.ts";
import {
  CHANNEL_PATH,
  channelAuthFor,
} from "../../../../emulator/http/replicas/channel/reach-replica.ts";
import { startReplicas, type TestReplica } from "./replicas-harness.ts";

const OPENING = {
  ...{ method: "GET", url: "/livez", rawHeaders: ["Host", "x"], headers: { host: "x" } },
  ...{ address: "127.0.0.1", isShare: false, waitedMs: 0 },
};

/** Connects as a replica that offers these protocols. Returns the chosen one. */
async function connected({ service, ownership }: TestReplica, offered: string) {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const caller = { id: "other", key: channelAuthKey(service.test.engine.secretKey.findOrMake()) };
  const wanted = { address: "", method: "GET", path: CHANNEL_PATH };
  const auth = await channelAuthFor(ownership.self, caller, wanted);
  socket.write(
    `GET ${CHANNEL_PATH} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${offered}\r\nSv-Replica: ${auth}\r\n\r\n`,
  );
  const [head] = (await once(socket, "data")) as [Buffer];
  return { head: head.toString(), channel: new Channel(socket) };
}

/** The answer, or that the exchange was given up. */
async function asked(channel: Channel, requestHead: string, strange?: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = "";
  const exchange = channel.open(requestHead, {
    data: (bytes) => void (text += bytes.toString()),
    ended: () => resolve(text),
    room: () => undefined,
    broken: () => resolve("given up"),
    woken: () => undefined,
  });
  if (strange !== undefined) channel.send(strange as FrameKind, exchange.id);
  exchange.end();
  return promise;
}

it("a replica of another version offers its own protocol and the common one, which is chosen", async () => {
  await using replicas = await startReplicas();
  const { head, channel } = await connected(replicas.b, "sv-replica-9, sv-replica");
  expect(head).toMatch(/^HTTP\/1\.1 101 [^]*upgrade: sv-replica\r\n/u);
  expect(await asked(channel, JSON.stringify(OPENING))).toMatch(/^HTTP\/1\.1 200 /u);
  channel.destroy();
});

it("a request with unknown fields is answered without them", async () => {
  await using replicas = await startReplicas();
  const { channel } = await connected(replicas.b, "sv-replica");
  const more = JSON.stringify({ ...OPENING, mood: { of: "the client" } });
  expect(await asked(channel, more)).toMatch(/^HTTP\/1\.1 200 /u);
  channel.destroy();
});

it("an exchange that this version cannot read is given up, and other exchanges continue", async () => {
  await using replicas = await startReplicas();
  const { channel } = await connected(replicas.b, "sv-replica");
  const { address: _, ...less } = OPENING;
  expect(await asked(channel, JSON.stringify(less))).toBe("given up");
  expect(await asked(channel, "no JSON")).toBe("given up");
  const held = { ...OPENING, method: "POST", url: "/v2/echo/run" };
  expect(await asked(channel, JSON.stringify(held), 99)).toBe("given up");
  expect(await asked(channel, JSON.stringify(OPENING))).toMatch(/^HTTP\/1\.1 200 /u);
  channel.destroy();
});
