/** Calls receivers over HTTP, each call signed by the Standard Webhooks convention. */
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { LIMITS } from "../../runtime/protocol/limits.ts";
import { reasonOf } from "../../runtime/protocol/reason-of.ts";
import { redirectOf } from "../../runtime/protocol/redirect.ts";
import { outgoing } from "../../runtime/proxies/outgoing.ts";
import { guardedOutgoing } from "../../runtime/storage/download/address-guard.ts";
import { loopbackHint } from "../../runtime/storage/download/loopback-hint.ts";
import {
  areInHand,
  isInHand,
  type Piece,
  type PieceInHand,
  sizeOf,
} from "../core/jobs/opened-payload.ts";
import { signingKey } from "../core/webhooks/webhook-secret.ts";
import type { WebhookCall, WebhookResult, WebhookSender } from "./webhook-sender.ts";

export interface HttpSenderOptions {
  /** In the form of `isWebhookSecret`. */
  readonly secret: string;
  /** Whether private, loopback and link-local addresses may be called. */
  readonly allowLocal: boolean;
  /** Time limit of one call, its connection included, counted from the receiver's last read of the body, ms; default 10,000. */
  readonly timeLimitMs?: number;
}

/** Maximum size of a body that is sent in one write. */
const COPY_MAX_BYTES = 65_536;

/** Maximum size of an answer's body that is read to reuse the connection. A larger body closes it. */
const ANSWER_MAX_BYTES = 65_536;

/** Time for which a connection is kept for the next call, ms. */
const KEEP_ALIVE_MS = 4_000;

export function createHttpSender(options: HttpSenderOptions): WebhookSender {
  const { secret, allowLocal, timeLimitMs = LIMITS.webhookTimeoutMs } = options;
  const keeping = { keepAliveTimeout: KEEP_ALIVE_MS, keepAliveMaxTimeout: KEEP_ALIVE_MS };
  const agent = allowLocal
    ? outgoing({ ...keeping, connect: { timeout: timeLimitMs } })
    : guardedOutgoing({ timeout: timeLimitMs, forbidden: notPublic }, keeping);
  const key = signingKey(secret);
  return {
    async send(call, signal) {
      const startedAt = performance.now();
      const headers = await signedHeaders(call, key, new Date());
      using limit = new TimeLimit(timeLimitMs);
      const outcome = await post(agent, call, { headers, limit, signal }).catch(
        (error: unknown) => {
          signal.throwIfAborted();
          const reason = reasonOf(error);
          const hint = loopbackHint(reason, new URL(call.url).hostname);
          if (!limit.signal.aborted) return { error: reason + hint };
          return { error: `there was no answer within ${timeLimitMs / 1_000} s` };
        },
      );
      return { durationMs: Math.round(performance.now() - startedAt), headers, ...outcome };
    },
    close: () => agent.destroy(),
  };
}

/** Fires when the receiver has neither read of the body nor answered for that long. A slow line is no silence. */
class TimeLimit {
  readonly #ms: number;
  readonly #startedAt = performance.now();
  readonly #over = new AbortController();
  #timer: NodeJS.Timeout;

  constructor(ms: number) {
    this.#ms = ms;
    this.#timer = this.#runOutIn(ms);
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** The receiver has read a part of the body. */
  extend(): void {
    this.#timer.refresh();
  }

  /** The whole body was passed to the system, which may take as long again to send it. */
  wasSent(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#runOutIn(this.#ms + performance.now() - this.#startedAt);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #runOutIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#over.abort(), ms);
  }
}

interface PostTerms {
  readonly headers: Readonly<Record<string, string>>;
  readonly limit: TimeLimit;
  readonly signal: AbortSignal;
}

async function post(
  agent: Dispatcher,
  { url, pieces }: WebhookCall,
  { headers, limit, signal: stop }: PostTerms,
): Promise<Pick<WebhookResult, "status" | "warning">> {
  const signal = AbortSignal.any([stop, limit.signal]);
  const { origin, pathname, search } = new URL(url);
  const size = sizeOf(pieces);
  const isShort = size <= COPY_MAX_BYTES && areInHand(pieces);
  // Redirections are not followed: a redirection is an answer like any other.
  const answer = await agent.request({
    origin,
    path: pathname + search,
    method: "POST",
    headers: { ...headers, "content-length": String(size) },
    body: isShort ? Buffer.concat(pieces.map(bytesOf)) : Readable.from(copiesOf(pieces, limit)),
    signal,
  });
  // Only its status and the target of a redirect matter.
  await answer.body.dump({ limit: ANSWER_MAX_BYTES, signal }).catch(() => undefined);
  const next = redirectOf(answer.statusCode, answer.headers["location"], new URL(url));
  const warning =
    next &&
    `it redirects to ${shownUrl(next)}, and redirects are not followed: submit that as webhook`;
  return { status: answer.statusCode, ...(warning !== undefined && { warning }) };
}

/** Queries and passwords may be secrets. */
function shownUrl({ origin, pathname, search }: URL): string {
  return `${origin}${pathname}${search === "" ? "" : "?…"}`;
}

/**
 * The wall clock dates the signature, because receivers compare it with theirs. The hash reads the body piece by piece. The
 * package that verifies signatures in our tests would join the whole body into a text first, and block other work.
 */
async function signedHeaders({ id, pieces, traceparent }: WebhookCall, key: Buffer, now: Date) {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const mac = createHmac("sha256", key).update(`${id}.${timestamp}.`);
  for await (const slice of slicesOf(pieces)) mac.update(slice);
  return {
    "content-type": "application/json",
    "user-agent": "sv-runtime",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${mac.digest("base64")}`,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/** Each slice is read on demand, and valid until the next one is requested. */
async function* slicesOf(pieces: readonly Piece[]): AsyncGenerator<PieceInHand, void, undefined> {
  for (const piece of pieces) {
    if (isInHand(piece)) yield piece;
    else yield* piece.slices();
  }
}

/** The HTTP client may still use a slice when it requests the next one. */
async function* copiesOf(
  pieces: readonly Piece[],
  limit: TimeLimit,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const slice of slicesOf(pieces)) {
    const bytes = bytesOf(slice);
    for (let at = 0; at < bytes.length; at += COPY_MAX_BYTES) {
      yield Buffer.from(bytes.subarray(at, at + COPY_MAX_BYTES));
      limit.extend();
    }
  }
  limit.wasSent();
}

function bytesOf(piece: PieceInHand): Buffer {
  if (typeof piece === "string") return Buffer.from(piece);
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}

function notPublic(host: string): Error {
  return new Error(
    `${host} leads to an address that is not public, and webhooks to local addresses are off`,
  );
}
