/** Two connections as one: what comes over either goes on over the other, byte for byte, until both have ended. */
import type { Socket } from "node:net";

/** A peer that vanished is noticed after this long at the earliest. */
const KEEP_ALIVE_MS = 60_000;

/** Resolves when both are closed. Each half is closed by itself; a connection that breaks breaks the other. */
export function converse(one: Socket, other: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const closed = (socket: Socket, peer: Socket) => {
    const isWhole = socket.readableEnded && socket.writableFinished;
    if (!isWhole) peer.resetAndDestroy();
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
