/** What is known of a request beside what it says itself, where several replicas share a store. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Writable } from "node:stream";
import type { TimePort } from "../../engine/time/time-port.ts";

export interface ForwardedRequest {
  /** The replica that passed it on; undefined: the client called this one. */
  readonly from: string | undefined;
  /** Of the client; undefined where its connection says so. */
  readonly address: string | undefined;
  /** Another replica asks, for what this one knows alone. */
  readonly isShare: boolean;
  /** Of the dashboard's session, which is known only where the request arrived; undefined: the request is not a dashboard's. */
  readonly sessionKeyId: string | undefined;
  /** Of the job that it submits, the same at each try; undefined if it submits none. */
  readonly jobId: string | undefined;
  /** Moment at which the request arrived here, real time, ms. */
  readonly arrivedAt: number;
  /** How long its client has waited for a replica that could not answer in the end, ms. */
  readonly waitedMs: number;
}

const forwardedRequests = new WeakMap<IncomingMessage, ForwardedRequest>();

/** What is not known is as for a request that has just come. */
export function noteForwardedRequest(
  request: IncomingMessage,
  known: Pick<ForwardedRequest, "from" | "address"> & Partial<ForwardedRequest>,
  { realClock }: TimePort,
): ForwardedRequest {
  const forwarded: ForwardedRequest = {
    isShare: false,
    sessionKeyId: undefined,
    jobId: undefined,
    arrivedAt: realClock.now(),
    waitedMs: 0,
    ...known,
  };
  forwardedRequests.set(request, forwarded);
  return forwarded;
}

/** Undefined for a request of a client that was not looked at yet. */
export function forwardedRequestOf(request: IncomingMessage): ForwardedRequest | undefined {
  return forwardedRequests.get(request);
}

/** The client's address, however many replicas its request has passed. */
export function clientAddress(request: IncomingMessage): string {
  return forwardedRequests.get(request)?.address ?? request.socket.remoteAddress ?? "";
}

/** Where the response to a forwarded request is written, in the place of a connection to the client. */
export abstract class ForwardedSocket extends Writable {
  #isWoken = false;
  #onWoken: (() => void) | undefined;

  /** The replica that the client is connected to is stopping. */
  wake(): void {
    this.#isWoken = true;
    this.#onWoken?.();
  }

  /** Has `wake` called then; undefined: no more. */
  whenWoken(wake: (() => void) | undefined): void {
    this.#onWoken = wake;
    if (this.#isWoken) wake?.();
  }
}

/** Has `wake` called when another replica that the client is connected to is stopping; undefined: no more. */
export function whenWoken(response: ServerResponse, wake: (() => void) | undefined): void {
  const socket: unknown = response.socket;
  if (socket instanceof ForwardedSocket) socket.whenWoken(wake);
}
