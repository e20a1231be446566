/**
 * Performs the requests of a connection one after another. Node emits pipelined requests at once, and would keep all of their
 * answers in memory until the client reads them.
 */
import type { RequestListener } from "node:http";
import type { Socket } from "node:net";

/** With so many requests waiting, the connection is not read any more. */
const WAITING_MAX = 16;

/** A request that is waiting when its connection ends is never performed. */
export function inTurn(perform: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    if (response.socket !== null) {
      perform(request, response);
      return;
    }
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count >= WAITING_MAX) socket.pause();
    // A response has the connection from then on.
    response.once("socket", () => {
      const left = (waiting.get(socket) ?? 1) - 1;
      waiting.set(socket, left);
      if (left === WAITING_MAX - 1) socket.resume();
      perform(request, response);
    });
  };
}
