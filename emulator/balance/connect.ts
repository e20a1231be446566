/** Opens connections to a worker's server; on this machine, whichever of the two loopback addresses it listens on. */
import { once } from "node:events";
import { connect, type LookupFunction, type Socket } from "node:net";
import type { ServerAddress } from "../launch/launcher.ts";

const LOOPBACK = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
] as const;

/** Names are not looked up: a machine's hosts file may be wrong. */
const lookup: LookupFunction = (_name, _options, callback) => callback(null, [...LOOPBACK]);

/** `allowHalfOpen`: the server may still write after the client's half is closed. */
export function connectToServer(
  { host, port }: Pick<ServerAddress, "host" | "port">,
  allowHalfOpen: boolean,
): Socket {
  const here = { host: "localhost", port, lookup, autoSelectFamily: true };
  const to = host === undefined ? here : { host, port };
  return connect({ ...to, allowHalfOpen, noDelay: true });
}

/** A connection that the server has accepted. @throws the reason there is none, or why `signal` aborted */
export async function reachServer(
  address: Pick<ServerAddress, "host" | "port">,
  allowHalfOpen: boolean,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connectToServer(address, allowHalfOpen);
  try {
    await once(socket, "connect", { signal });
    return socket;
  } catch (error) {
    socket.on("error", () => undefined).destroy();
    signal.throwIfAborted();
    throw error;
  }
}
