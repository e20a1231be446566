/** Room for the bytes of an answer, held until the connection is done with them. */
import type { ServerResponse } from "node:http";
import { ClientGoneError } from "../requests/request-body.ts";
import type { HttpService } from "../service.ts";

/** Those that have theirs: who waited for more while holding some could wait for each other. */
const served = new WeakSet<ServerResponse>();

/**
 * Waits until `bytes` may be kept in memory for this exchange, which lasts until its response is closed. Does nothing for
 * one that has been given room before.
 *
 * @throws ServiceError too_much_in_flight; ClientGoneError
 */
export async function takeRoom(
  { engine }: HttpService,
  response: ServerResponse,
  bytes: number,
): Promise<void> {
  if (served.has(response)) return;
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
