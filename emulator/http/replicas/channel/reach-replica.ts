/** Opens connections to other replicas, at their port for clients. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request as openPlain } from "node:http";
import type { Socket } from "node:net";
import { z } from "zod";
import type { Replica } from "../../../store/ownership.ts";
import { Channel } from "./channel.ts";
import {
  type Challenge,
  isProof,
  CHANNEL_AUTH_HEADER,
  type ChannelAuth,
  channelAuthOf,
} from "./channel-auth.ts";

/**
 * Protocol of connections between replicas. The two ends may have different versions: a head may have members that the other
 * end ignores. A change that cannot be ignored needs a protocol with a new name, offered before this one.
 */
export const CHANNEL_PROTOCOL = "sv-replica";

/** Path for nonces, requested without an upgrade. */
export const CHANNEL_PATH = "/emulator/replica";

/** Timeout of opening a connection, authentication included. */
const CONNECT_MS = 2_000;

/** Maximum size of the answer with a nonce. */
const CHALLENGE_MAX_BYTES = 4_096;

const NONCE_BYTES = 16;

const challengeShape = z.object({ nonce: z.string(), proof: z.string() });

/** This replica. */
export interface Caller {
  readonly id: string;
  readonly key: Uint8Array;
}

/**
 * The value of the header `sv-replica` for one request to that replica, after it has proved its identity.
 * @throws Error with the reason for a failure
 */
export async function channelAuthFor(
  replica: Replica,
  caller: Caller,
  request: Pick<ChannelAuth, "method" | "path" | "address">,
): Promise<string> {
  const ends = { from: caller.id, to: replica.id };
  const callerNonce = randomBytes(NONCE_BYTES).toString("base64url");
  const challenge = await challengeOf(replica, `${encodeURIComponent(caller.id)};${callerNonce}`);
  if (!isProof(caller.key, ends, callerNonce, challenge))
    throw new Error("it is not the expected replica, or has another secret key");
  return channelAuthOf(caller.key, { ...request, ...ends, nonce: challenge.nonce });
}

async function challengeOf(replica: Replica, question: string): Promise<Challenge> {
  const headers = ["Host", new URL(replica.address).host, CHANNEL_AUTH_HEADER, question];
  const asking = await requestReplica(replica, { method: "GET", path: CHANNEL_PATH, headers });
  const signal = AbortSignal.timeout(CONNECT_MS);
  const cut = () => asking.destroy(new Error("it did not answer in time"));
  signal.addEventListener("abort", cut);
  try {
    asking.end();
    const [answer] = (await once(asking, "response")) as [IncomingMessage];
    if (answer.statusCode !== 200) throw new Error(`it answered ${answer.statusCode}`);
    let text = "";
    for await (const piece of answer.setEncoding("utf8") as AsyncIterable<string>) {
      text += piece;
      if (text.length > CHALLENGE_MAX_BYTES) throw new Error("its answer is too long");
    }
    return challengeShape.parse(JSON.parse(text));
  } finally {
    signal.removeEventListener("abort", cut);
    asking.on("error", () => undefined).destroy();
  }
}

/** A request to a replica on a new connection, which may be upgraded. */
export async function requestReplica(
  { address }: Replica,
  options: { readonly method: string; readonly path: string; readonly headers: string[] },
): Promise<ClientRequest> {
  const { protocol, hostname, port } = new URL(address);
  const host = hostname.replace(/^\[(.*)\]$/u, "$1");
  // Loaded on demand, because loading is slow.
  const open = protocol === "https:" ? (await import("node:https")).request : openPlain;
  // Each direction of the connection may be closed separately.
  const connection = { agent: false, allowHalfOpen: true, noDelay: true };
  return open({ ...options, ...connection, host, port, setHost: false });
}

/** @throws Error with the reason for a failure */
export async function openChannel(replica: Replica, caller: Caller): Promise<Channel> {
  const requestHead = { method: "GET", path: CHANNEL_PATH };
  const auth = await channelAuthFor(replica, caller, { ...requestHead, address: "" });
  const upgrade = await requestReplica(replica, {
    ...requestHead,
    headers: [
      ...["Host", new URL(replica.address).host],
      ...["Connection", "Upgrade", "Upgrade", CHANNEL_PROTOCOL],
      ...[CHANNEL_AUTH_HEADER, auth],
    ],
  });
  const signal = AbortSignal.timeout(CONNECT_MS);
  try {
    upgrade.once("response", ({ statusCode }) => {
      upgrade.destroy(new Error(`it answered ${statusCode}`));
    });
    upgrade.end();
    const [, socket, head] = (await once(upgrade, "upgrade", { signal })) as [
      unknown,
      Socket,
      Buffer,
    ];
    socket.setTimeout(0).setNoDelay(true);
    if (head.length > 0) socket.unshift(head);
    return new Channel(socket);
  } catch (error) {
    upgrade.on("error", () => undefined).destroy();
    throw error;
  }
}
