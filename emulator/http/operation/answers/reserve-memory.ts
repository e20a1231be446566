/** Reserves memory for an answer until its connection is closed. */
import type { ServerResponse } from "node:http";
import { ClientGoneError } from "../requests/request-body.ts";
import type { HttpService } from "../service.ts";

/** Minimum size for which memory is reserved: the size that a reader of an opened payload needs anyway. */
const SMALL_BYTES = 65_536;

/** Responses that have room. They never wait for more, because two of them could wait for each other forever. */
const served = new WeakSet<ServerResponse>();

/**
 * Waits for room for `bytes` until the response is closed. Does nothing for few bytes, and for a response that already has
 * room.
 * @throws ServiceError too_much_in_flight; ClientGoneError
 */
export async function takeRoom(
  { engine }: HttpService,
  response: ServerResponse,
  bytes: number,
): Promise<void> {
  if (bytes <= SMALL_BYTES || served.has(response)) return;
  const closed = new AbortController();
  response.once("close", () => closed.abort());
  if (response.destroyed) closed.abort();
  const share = await engine.inFlight.take(bytes, closed.signal);
  if (share === undefined)
    throw new ClientGoneError("the client has gone while it waited for room");
  served.add(response);
  if (closed.signal.aborted) share[Symbol.dispose]();
  else closed.signal.addEventListener("abort", () => share[Symbol.dispose]());
}
