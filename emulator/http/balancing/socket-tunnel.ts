/** Connects two sockets: each sends on what the other receives, byte for byte, until both have ended. */
import type { Socket } from "node:net";

/** Minimum time until a vanished peer is detected. */
const KEEP_ALIVE_MS = 60_000;

/** Resolves when both are closed. Each direction is closed separately; a broken connection breaks the other. */
export function tunnel(one: Socket, other: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const closed = (socket: Socket, peer: Socket) => {
    const isWhole = socket.readableEnded && socket.writableFinished;
    if (!isWhole) breakOff(peer);
    if (one.closed && other.closed) resolve();
  };
  for (const [socket, peer] of [
    [one, other],
    [other, one],
  ] as const) {
    socket.setTimeout(0).setKeepAlive(true, KEEP_ALIVE_MS).setNoDelay(true);
    socket.on("error", () => undefined).once("close", () => closed(socket, peer));
    socket.pipe(peer);
  }
  return promise;
}

/** TLS has no reset: the peer notices that the end is missing. */
function breakOff(socket: Socket): void {
  if ("encrypted" in socket) socket.destroy();
  else socket.resetAndDestroy();
}
