/** Reads a body that may be large, in memory or in a file. */
import type { Buffer } from "node:buffer";
import type { BodyRoom } from "../../../core/jobs/submission.ts";
import { LargeBody } from "../../../net/large-body.ts";
import type { Call } from "../operation.ts";
import { type ChunkWatcher, ClientGoneError, declaredLength, readBody } from "./request-body.ts";

/** A body with the memory that it takes. It is given back when the request is over, or sooner by who disposes of it. */
export interface ReceivedBody {
  readonly body: Buffer;
  readonly room: BodyRoom;
}

/** As `readBody`. @throws ServiceError unsupported_encoding, payload_too_large, too_much_in_flight; ClientGoneError */
export async function readLargeBody(
  { service, request, response }: Pick<Call<unknown>, "service" | "request" | "response">,
  maxBytes: number,
  watch: ChunkWatcher,
): Promise<ReceivedBody> {
  const gone = new AbortController();
  response.once("close", () => {
    gone.abort(new ClientGoneError("the client has gone while its body waited for room"));
    room[Symbol.dispose]();
  });
  const { inFlight } = service.engine;
  const options = { inFlight, declared: declaredLength(request), signal: gone.signal };
  const room = new LargeBody(options);
  return { body: await readBody(request, response, maxBytes, watch, room), room };
}
