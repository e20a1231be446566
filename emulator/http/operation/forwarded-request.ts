/** Facts about a request that was passed on between replicas. Its own headers and URL do not contain them. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Writable } from "node:stream";
import type { TimePort } from "../../engine/time/time-port.ts";

export interface ForwardedRequest {
  /** The replica that passed the request on. Undefined if the client called this replica. */
  readonly from: string | undefined;
  /** Address of the client. Undefined if it is the connection's. */
  readonly address: string | undefined;
  /** True: another replica asks for this one's share of an answer. */
  readonly isShare: boolean;
  /** Id of the key of the dashboard's session, which only the first replica knows. Undefined without a session. */
  readonly sessionKeyId: string | undefined;
  /** Id of the submitted job, the same at each try. Undefined if the request submits none. */
  readonly jobId: string | undefined;
  /** Time of arrival at this replica, real time, ms. */
  readonly arrivedAt: number;
  /** Time that the client has waited for replicas that could not answer, ms. */
  readonly waitedMs: number;
}

const forwardedRequests = new WeakMap<IncomingMessage, ForwardedRequest>();

/** Stores the facts. Omitted ones get the values of a new request. */
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

/** The stored facts. Undefined for a client's request before `noteForwardedRequest`. */
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

  /** Call it when the client's replica is stopping. */
  wake(): void {
    this.#isWoken = true;
    this.#onWoken?.();
  }

  /** Sets the function that `wake` calls; undefined removes it. */
  whenWoken(wake: (() => void) | undefined): void {
    this.#onWoken = wake;
    if (this.#isWoken) wake?.();
  }
}

/** Calls `wake` when the client's replica is stopping; undefined removes it. */
export function whenWoken(response: ServerResponse, wake: (() => void) | undefined): void {
  const socket: unknown = response.socket;
  if (socket instanceof ForwardedSocket) socket.whenWoken(wake);
}
