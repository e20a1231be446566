/** Reads the body of a request within a limit, in slices between which other work is done. */
import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { freeAlone } from "../../../core/jobs/free-memory.ts";
import { SLICE_BYTES } from "../../../core/jobs/raw-json/scan.ts";
import type { BodyRoom } from "../../../core/jobs/submission.ts";
import { ServiceError } from "../../../core/service-error.ts";
import { ownTurn } from "../../../engine/limits/own-turn.ts";
import { IS_KEPT, keptBody, noteBody } from "./kept-body.ts";
import { BodyInMemory, type BodySpace } from "../../../net/body-space.ts";
import { LargeBody } from "../../../net/large-body.ts";
import type { Call } from "../operation.ts";

/** Called with each chunk; a result other than undefined stops reading. */
export type ChunkWatcher = (chunk: Buffer) => unknown;

/** Maximum size of an unread body for which the connection is kept. */
const SKIPPED_BODY_MAX_BYTES = 1_000_000;

/** The client went away before its request was complete. */
export class ClientGoneError extends Error {
  override readonly name = "ClientGoneError";
}

/** The announced size; undefined for a body in chunks. */
export function declaredLength(request: IncomingMessage): number | undefined {
  const text = request.headers["content-length"];
  return text === undefined ? undefined : Number(text);
}

export function hasBody(request: IncomingMessage): boolean {
  const { headers } = request;
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

/** Whether all of the body is there. The body that arrived with the head is, one microtask after the request began. */
export function isThere(request: IncomingMessage): boolean {
  return request.readableLength === declaredLength(request);
}

/**
 * Call it before any other use of the request.
 * @throws ServiceError payload_too_large
 */
export function refuseLongBody(maxBodyBytes: number, request: IncomingMessage): void {
  if ((declaredLength(request) ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes);
}

/** Whether the missing rest of the request is so large that the connection is closed instead of read. */
export function hasLongRest(request: IncomingMessage): boolean {
  if (request.complete || !hasBody(request)) return false;
  return (declaredLength(request) ?? Number.POSITIVE_INFINITY) > SKIPPED_BODY_MAX_BYTES;
}

/**
 * The whole body as sent, or its beginning if `watch` stopped reading; at once if a small one is there. A body with an announced
 * size beyond the limit is not read.
 * @param space memory for a body that arrives slowly; default: none reserved
 * @throws ServiceError unsupported_encoding, payload_too_large; ClientGoneError
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
  watch: ChunkWatcher,
  space?: BodySpace,
): Buffer | Promise<Buffer> {
  const { "content-encoding": encoding, expect } = request.headers;
  if (encoding !== undefined) refuseEncoding(encoding);
  const declared = declaredLength(request);
  if (declared !== undefined && declared > maxBytes) throw tooLarge(maxBytes);
  if (!hasBody(request)) return Buffer.alloc(0);
  const known = IS_KEPT in request ? keptBody(request) : undefined;
  if (known !== undefined) {
    watch(known);
    return known;
  }
  if (request.destroyed) throw clientGone();
  const isSmall = declared !== undefined && declared <= SLICE_BYTES;
  const there: unknown = isSmall && isThere(request) ? request.read() : undefined;
  if (Buffer.isBuffer(there)) {
    watch(there);
    // Reads to the end: otherwise the next request of the connection would not arrive.
    request.resume();
    return noted(request, there);
  }
  if (expect !== undefined) response.writeContinue();
  const received = receive(request, {
    maxBytes,
    watch,
    space: space ?? new BodyInMemory(declared),
  });
  return received.then((body) => noted(request, body));
}

function noted(request: IncomingMessage, body: Buffer): Buffer {
  if (IS_KEPT in request) noteBody(request, body);
  return body;
}

/** A body with its memory, if it is large. The memory is freed when the request is over, or earlier by its disposal. */
export interface ReceivedBody {
  readonly body: Buffer | Promise<Buffer>;
  readonly room?: BodyRoom;
}

/**
 * Reads a body that may be large, in memory or in a file; otherwise like `readBody`.
 * @throws ServiceError unsupported_encoding, payload_too_large, too_much_in_flight; ClientGoneError
 */
export function readLargeBody(
  { service, request, response }: Pick<Call<unknown>, "service" | "request" | "response">,
  maxBytes: number,
  watch: ChunkWatcher,
): ReceivedBody {
  const declared = declaredLength(request);
  if (declared !== undefined && declared <= SLICE_BYTES)
    return { body: readBody(request, response, maxBytes, watch) };
  const gone = new AbortController();
  response.once("close", () => {
    gone.abort(new ClientGoneError("the client has gone while its body waited for room"));
    room[Symbol.dispose]();
  });
  const { inFlight } = service.engine;
  const room = new LargeBody({ inFlight, declared, signal: gone.signal });
  return { body: readBody(request, response, maxBytes, watch, room), room };
}

interface Receiving {
  readonly maxBytes: number;
  readonly watch: ChunkWatcher;
  readonly space: BodySpace;
}

/** @throws ServiceError payload_too_large; ClientGoneError */
function receive(
  request: IncomingMessage,
  { maxBytes, watch, space: body }: Receiving,
): Promise<Buffer> {
  let isOver = false;
  return new Promise<Buffer>((resolve, reject) => {
    const leave = () => {
      isOver = true;
      request.pause();
      request.removeListener("data", onData);
      request.removeListener("end", onEnd);
      request.removeListener("error", onGone);
      request.removeListener("close", onGone);
    };
    const onData = (chunk: Buffer) => {
      if (body.size + chunk.length > maxBytes) {
        leave();
        reject(tooLarge(maxBytes));
        return;
      }
      const isCopied = body.add(chunk);
      const isEnough = watch(chunk) !== undefined;
      if (isCopied) freeAlone(chunk);
      if (isEnough) {
        leave();
        resolve(body.beginning());
      } else if (body.fillsSlice()) pauseForTurn(request, body, () => isOver).catch(onFault);
    };
    const onEnd = () => {
      leave();
      resolve(body.whole());
    };
    const onFault = (error: unknown) => {
      leave();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const onGone = () => {
      leave();
      reject(clientGone());
    };
    request.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
  });
}

/**
 * Reads and discards a body that the operation does not use, so that the connection can be reused.
 * @throws ServiceError unsupported_encoding, payload_too_large; ClientGoneError
 */
export async function skipBody(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await readBody(request, response, SKIPPED_BODY_MAX_BYTES, () => undefined);
}

function refuseEncoding(encoding: string): void {
  if (encoding === "" || encoding.toLowerCase() === "identity") return;
  throw new ServiceError(
    "unsupported_encoding",
    `the body has the Content-Encoding ${JSON.stringify(encoding)}; send it uncompressed, without that header`,
  );
}

async function pauseForTurn(
  request: IncomingMessage,
  space: BodySpace,
  isOver: () => boolean,
): Promise<void> {
  request.pause();
  await space.flushed();
  await ownTurn();
  if (!isOver()) request.resume();
}

function clientGone(): ClientGoneError {
  return new ClientGoneError("the connection was closed before the request was complete");
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError("payload_too_large", `the body must be at most ${maxBytes} bytes`);
}
