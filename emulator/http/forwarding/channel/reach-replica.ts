/** Opens connections to other replicas, at the port at which clients call them. */
import { once } from "node:events";
import { type ClientRequest, request as openPlain } from "node:http";
import type { Socket } from "node:net";
import type { Replica } from "../../../store/ownership.ts";
import { Channel } from "./channel.ts";
import { MARK_HEADER, type Marked, markOf } from "./mark.ts";

/**
 * The protocol that a connection between replicas becomes. Both ends may be of other versions: who opens an exchange may say what
 * the other passes over. For what that must understand a protocol is offered before this one, under a name of its own.
 */
export const CHANNEL_PROTOCOL = "sv-replica";
export const CHANNEL_PATH = "/emulator/replica";

/** A replica that has not taken a connection by then has none. */
const CONNECT_MS = 2_000;

/** Who calls. */
export interface Caller {
  readonly id: string;
  readonly key: Uint8Array;
}

/** The value of the mark's header for a request of now. */
export function signed(caller: Caller, request: Omit<Marked, "at" | "from">): string {
  return markOf(caller.key, { ...request, from: caller.id, at: Date.now() });
}

/** A request to a replica whose connection becomes another one; every connection is a new one. */
export async function requestUpgrade(
  { address }: Replica,
  options: { readonly method: string; readonly path: string; readonly headers: string[] },
): Promise<ClientRequest> {
  const { protocol, hostname, port } = new URL(address);
  const host = hostname.replace(/^\[(.*)\]$/u, "$1");
  // Loaded where it is needed: it takes long.
  const open = protocol === "https:" ? (await import("node:https")).request : openPlain;
  // Each half of the connection may be closed by itself.
  const connection = { agent: false, allowHalfOpen: true, noDelay: true };
  return open({ ...options, ...connection, host, port, setHost: false });
}

/** @throws Error that says why there is none */
export async function openChannel(replica: Replica, caller: Caller): Promise<Channel> {
  const asked = { method: "GET", path: CHANNEL_PATH };
  const upgrade = await requestUpgrade(replica, {
    ...asked,
    headers: [
      ...["Host", new URL(replica.address).host],
      ...["Connection", "Upgrade", "Upgrade", CHANNEL_PROTOCOL],
      ...[MARK_HEADER, signed(caller, { ...asked, address: "" })],
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
