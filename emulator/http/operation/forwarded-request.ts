/** Facts about a request between replicas that it does not carry itself. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Writable } from "node:stream";
import type { TimePort } from "../../engine/time/time-port.ts";

export interface ForwardedRequest {
  /** The replica that passed it on; undefined: the client called this one. */
  readonly from: string | undefined;
  /** Address of the client; undefined: that of the connection. */
  readonly address: string | undefined;
  /** True: another replica asks for this one's share of an answer. */
  readonly isShare: boolean;
  /** Id of the key of the dashboard's session, which only the first replica knows; undefined without one. */
  readonly sessionKeyId: string | undefined;
  /** Id of the job that it submits, the same at each try; undefined if it submits none. */
  readonly jobId: string | undefined;
  /** Moment of its arrival here, real time, ms. */
  readonly arrivedAt: number;
  /** Time that its client has waited for replicas that could not answer, ms. */
  readonly waitedMs: number;
}

const forwardedRequests = new WeakMap<IncomingMessage, ForwardedRequest>();

/** Unknown facts are those of a new request. */
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

/** Undefined for a client's request that was not looked at yet. */
export function forwardedRequestOf(request: IncomingMessage): ForwardedRequest | undefined {
  return forwardedRequests.get(request);
}

/** Address of the client, behind any number of replicas. */
export function clientAddress(request: IncomingMessage): string {
  return forwardedRequests.get(request)?.address ?? request.socket.remoteAddress ?? "";
}

/** Socket of the response to a forwarded request, instead of a connection to the client. */
export abstract class ForwardedSocket extends Writable {
  #isWoken = false;
  #onWoken: (() => void) | undefined;

  /** The client's replica is stopping. */
  wake(): void {
    this.#isWoken = true;
    this.#onWoken?.();
  }

  /** Sets the function to call then; undefined: none. */
  whenWoken(wake: (() => void) | undefined): void {
    this.#onWoken = wake;
    if (this.#isWoken) wake?.();
  }
}

/** Calls `wake` when the client's replica is stopping; undefined: no more. */
export function whenWoken(response: ServerResponse, wake: (() => void) | undefined): void {
  const socket: unknown = response.socket;
  if (socket instanceof ForwardedSocket) socket.whenWoken(wake);
}
