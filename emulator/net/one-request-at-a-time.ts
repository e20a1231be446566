/**
 * Performs the requests of a connection one after another. Node emits pipelined requests at once, and would keep all of their
 * answers in memory until the client reads them.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** Number of waiting requests at which the connection is not read any more. */
const WAITING_MAX = 16;

const waiting = new WeakMap<Socket, number>();

/**
 * Performs a request once those before it on the same connection are answered. A request that is waiting when its connection ends is
 * never performed.
 */
export function performInTurn(
  { socket }: IncomingMessage,
  response: { once(event: "socket", listener: () => void): unknown },
  perform: () => void,
): void {
  const count = (waiting.get(socket) ?? 0) + 1;
  waiting.set(socket, count);
  if (count >= WAITING_MAX) socket.pause();
  // A response has the connection from then on.
  response.once("socket", () => {
    const left = (waiting.get(socket) ?? 1) - 1;
    waiting.set(socket, left);
    if (left === WAITING_MAX - 1) socket.resume();
    perform();
  });
}
