/** Room for the bytes of a request or of its answer, held until the connection is done with them. */
import type { ServerResponse } from "node:http";
import { ServiceError } from "../core/service-error.ts";
import { ClientWait } from "./client-wait.ts";
import type { HttpService } from "./service.ts";

/** Those that have theirs: who waited for more while holding some could wait for each other. */
const served = new WeakSet<ServerResponse>();

/**
 * Waits until `bytes` may be kept in memory for this exchange, which lasts until its response is closed. Does nothing for
 * one that has been given room before.
 *
 * @throws ServiceError too_much_in_flight, shutting_down
 */
export async function takeRoom(
  service: HttpService,
  response: ServerResponse,
  bytes: number,
): Promise<void> {
  if (served.has(response)) return;
  using wait = new ClientWait(service, response);
  const share = await service.engine.inFlight.take(bytes, wait.signal);
  if (share === undefined) throw new ServiceError("shutting_down", "the service is stopping");
  served.add(response);
  if (response.closed) share[Symbol.dispose]();
  else response.once("close", () => share[Symbol.dispose]());
}
