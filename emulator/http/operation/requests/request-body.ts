/** Reads the body of a request within a limit, chunk by chunk, in slices between which others have their turn. */
import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { freeAlone } from "../../../core/jobs/free-memory.ts";
import { ServiceError } from "../../../core/service-error.ts";
import { ownTurn } from "../../../engine/limits/own-turn.ts";
import { keptBody, noteBody } from "./kept-body.ts";
import { BodyInMemory, type BodySpace } from "../../../net/body-space.ts";

/** Called with each chunk as it comes; returns something other than undefined to stop reading. */
export type ChunkWatcher = (chunk: Buffer) => unknown;

/** The connection is kept if an unread body is at most this long. */
const SKIPPED_BODY_MAX_BYTES = 1_000_000;

/** The client went away before its request was complete. */
export class ClientGoneError extends Error {
  override readonly name = "ClientGoneError";
}

/** The length the client announced; undefined for a body in chunks. */
export function declaredLength(request: IncomingMessage): number | undefined {
  const text = request.headers["content-length"];
  return text === undefined ? undefined : Number(text);
}

export function hasBody(request: IncomingMessage): boolean {
  const { headers } = request;
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

/** To be called before anything else is asked of the request. @throws ServiceError payload_too_large */
export function refuseLongBody(
  { maxBodyBytes = Infinity }: { readonly maxBodyBytes?: number },
  request: IncomingMessage,
): void {
  if ((declaredLength(request) ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes);
}

/** True when so much of the request is still to come that it is better to close the connection than to read it. */
export function hasLongRest(request: IncomingMessage): boolean {
  if (request.complete || !hasBody(request)) return false;
  return (declaredLength(request) ?? Number.POSITIVE_INFINITY) > SKIPPED_BODY_MAX_BYTES;
}

/**
 * The whole body as it was sent, or how it begins if `watch` stopped reading. A body that is announced as too
 * large is not read at all.
 *
 * @param space where it is kept meanwhile; default: in memory
 *
 * @throws ServiceError unsupported_encoding, payload_too_large; ClientGoneError
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
  watch: ChunkWatcher,
  space: BodySpace = new BodyInMemory(declaredLength(request)),
): Promise<Buffer> {
  refuseEncoding(request);
  const declared = declaredLength(request);
  if (declared !== undefined && declared > maxBytes) throw tooLarge(maxBytes);
  if (!hasBody(request)) return Buffer.alloc(0);
  const known = keptBody(request);
  if (known !== undefined) {
    watch(known);
    return known;
  }
  if (request.destroyed) throw clientGone();
  if (request.headers.expect !== undefined) response.writeContinue();
  const body = await receive(request, { maxBytes, watch, space });
  noteBody(request, body);
  return body;
}

interface Receiving {
  readonly maxBytes: number;
  readonly watch: ChunkWatcher;
  readonly space: BodySpace;
}

/** @throws ServiceError payload_too_large; ClientGoneError */
async function receive(
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
 *
 * @throws ServiceError unsupported_encoding, payload_too_large; ClientGoneError
 */
export async function skipBody(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await readBody(request, response, SKIPPED_BODY_MAX_BYTES, () => undefined);
}

function refuseEncoding(request: IncomingMessage): void {
  const encoding = request.headers["content-encoding"];
  if (encoding === undefined || encoding === "" || encoding.toLowerCase() === "identity") return;
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
