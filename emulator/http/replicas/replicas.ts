/**
 * Several replicas with one store: decides whether a request is answered here or passed on, and holds the connections between
 * them.
 */
import type { IncomingMessage, RequestListener } from "node:http";
import { ServiceError } from "../../core/service-error.ts";
import type { JobKind } from "../../core/jobs/job.ts";
import { newJobId } from "../../engine/jobs/submit.ts";
import { endpointMoved, type Owned } from "../../engine/steps/state/endpoint-moved.ts";
import type { Ownership } from "../../store/ownership.ts";
import type { Need } from "../../core/access/key-scope.ts";
import { admit, sessionKeyId } from "../operation/access/admission.ts";
import { type Exchange, refuse } from "../operation/answers/refuse.ts";
import { isByDashboard } from "../operation/access/dashboard-access.ts";
import { type Call, type Keyless, needOf, type Operation } from "../operation/operation.ts";
import { hasBody } from "../operation/requests/request-body.ts";
import { respond } from "../operation/respond.ts";
import type { HttpService } from "../operation/service.ts";
import { MOVED_HEADER } from "./answer-head.ts";
import {
  type ForwardedRequest,
  forwardedRequestOf,
  noteForwardedRequest,
} from "../operation/forwarded-request.ts";
import { Channels } from "./channel/channels.ts";
import type { AskReplica } from "./followed-replica.ts";
import { Forwarder, type Passed } from "./forwarder.ts";
import { gathering } from "./merged-answer.ts";
import { keepBody, keptBody } from "../operation/requests/kept-body.ts";
import { channelAuthKey } from "./channel/channel-auth.ts";
import { isOwned, ownedBy } from "./find-owner.ts";
import { type RequestHead, requestHeadOf } from "./channel/request-head.ts";
import { passUpgrade, type Upgraded } from "./pass-upgrade.ts";
import type { Caller } from "./channel/reach-replica.ts";
import { ReplicaListener } from "./replica-listener.ts";
import { refreshIfUnknown } from "../operation/refresh-records.ts";
import { askShare } from "./replica-shares.ts";

export class Replicas {
  readonly #service: HttpService;
  readonly #ownership: Ownership;
  readonly #caller: Caller;
  readonly #channels: Channels;
  readonly #forwarder: Forwarder;
  readonly listener: ReplicaListener;

  /** @param perform answers requests from other replicas */
  constructor(service: HttpService, ownership: Ownership, perform: RequestListener) {
    this.#service = service;
    this.#ownership = ownership;
    const key = channelAuthKey(service.engine.secretKey.findOrMake());
    this.#caller = { id: ownership.self.id, key };
    this.listener = new ReplicaListener(service, this.#caller, perform);
    this.#channels = new Channels(ownership, this.#caller, this.listener.accept(ownership.self.id));
    this.#forwarder = new Forwarder(service, ownership, this.#channels);
  }

  /** Answers a request to an operation, here or at another replica. Never rejects. */
  async answer<Path>(name: string, operation: Operation<Path>, call: Call<Path>): Promise<void> {
    const { request, response, refusal } = call;
    const forwarded = this.#forwardedRequestOf(request, operation.submits);
    const others = (url: string, key?: string) => this.#shares(request, forwarded, url, key);
    const [owned, found] = await this.#find(operation, { ...call, others });
    const here = { ...call, forwarded };
    if (forwarded.isShare) return respond(name, found, here);
    const whole = gathering(found, () => others(request.url ?? ""));
    const askReplica = this.#streamOpener(request, forwarded);
    if (owned === undefined) return respond(name, whole, { ...here, others, askReplica });
    const { methods, submits, waitMs } = operation;
    const passed: Passed = {
      ...{ service: this.#service, request, response, refusal, owned, forwarded },
      isRepeatable: submits !== undefined || methods.includes("GET"),
      ...(waitMs && { waitMs: orNone(() => waitMs(call.query)) }),
    };
    if (!isOwned(this.#ownership, owned)) return this.#passOn(passed, needOf(call));
    if (forwarded.from === undefined && hasBody(request)) keepBody(request);
    return respond(name, whole, { ...here, others, moved: () => this.#moveOn(passed) });
  }

  /**
   * Lets the owner of a load balancing endpoint answer a request. Resolves with the exchange that this replica has to answer;
   * undefined if another one has answered.
   */
  async balance(exchange: Exchange, endpointId: string): Promise<Exchange | undefined> {
    const { request } = exchange;
    const forwarded = this.#forwardedRequestOf(request);
    const owned = { endpointId };
    const isRepeatable = request.method === "GET" || request.method === "HEAD";
    const passed = { ...exchange, owned, forwarded, isRepeatable };
    if (!isOwned(this.#ownership, owned)) {
      await this.#passOn(passed, { part: "jobs", reads: false, endpointId });
      return undefined;
    }
    await refreshIfUnknown(this.#service, this.#ownership, endpointId);
    return { ...exchange, moved: () => this.#moveOn(passed) };
  }

  /**
   * Lets the owner of a load balancing endpoint answer a request for an upgrade. Resolves with the connection to the owner; `here` if this replica has to answer; undefined if the client already has another answer.
   * @throws ServiceError endpoint_moved
   */
  async upgrade(exchange: Exchange, endpointId: string): Promise<Upgraded | "here" | undefined> {
    const forwarded = this.#forwardedRequestOf(exchange.request);
    const owned = { endpointId };
    if (isOwned(this.#ownership, owned)) {
      await refreshIfUnknown(this.#service, this.#ownership, endpointId);
      return "here";
    }
    if (forwarded.from === undefined)
      return passUpgrade(exchange, { owned, ownership: this.#ownership, caller: this.#caller });
    refuseMoved(exchange, owned);
    return undefined;
  }

  /** Refuses a request for an upgrade after its endpoint has moved. A replica that passed it on searches for the next owner. */
  async upgradeMoved(exchange: Exchange, endpointId: string): Promise<void> {
    const owned = { endpointId };
    if (this.#forwardedRequestOf(exchange.request).from !== undefined) refuseMoved(exchange, owned);
    else refuse(exchange, endpointMoved(owned));
  }

  /** Closes the connections to other replicas. Call it when no client waits for them any more. */
  close(): void {
    this.#channels.stop();
  }

  async #passOn(passed: Passed, need: Need | Keyless): Promise<void> {
    const { forwarded, request, owned } = passed;
    if (forwarded.from !== undefined) return refuseMoved(passed, owned);
    try {
      // Only this replica knows the dashboard's session.
      if (isDashboards(request)) admit(this.#service, request, need);
      else if (this.#service.stopping && need !== "worker") throw stopping();
      const body = keptBody(request);
      const known = { forwarded: this.#withSession(request, forwarded), ...(body && { body }) };
      return await this.#forwarder.forward({ ...passed, ...known });
    } catch (error) {
      return refuse(passed, error);
    }
  }

  /** Passes a request on after its endpoint moved, before anything was done here. */
  async #moveOn(passed: Passed): Promise<void> {
    const { forwarded, request, owned } = passed;
    if (forwarded.from !== undefined) return refuseMoved(passed, owned);
    const isRead = request.readableDidRead && hasBody(request);
    const isLost = isRead && keptBody(request) === undefined;
    if (isLost) return refuse(passed, endpointMoved(owned));
    const again = { ...passed, isTriedHere: true };
    return this.#passOn(again, "worker");
  }

  /** The subject of the request, with the operation. If the subject cannot be found, the operation throws the reason. */
  async #find<Path>(
    operation: Operation<Path>,
    call: Call<Path>,
  ): Promise<[Owned | undefined, Operation<Path>]> {
    if (typeof operation.owner !== "object") return [await ownedBy(operation, call), operation];
    const { request } = call;
    if (operation.body === "read" && hasBody(request)) keepBody(request, Infinity);
    try {
      admit(this.#service, request, needOf(call));
      return [await ownedBy(operation, call), operation];
    } catch (error) {
      return [undefined, { ...operation, perform: async () => throwing(error) }];
    }
  }

  /** Answers of the other reachable replicas to a GET of that URL, with that key or the key of the request. */
  async #shares(
    request: IncomingMessage,
    forwarded: ForwardedRequest,
    url: string,
    key = request.headers.authorization,
  ): Promise<unknown[]> {
    const ownHead = this.#shareOf(request, forwarded, url);
    const requestHead = { ...ownHead, headers: { ...ownHead.headers, authorization: key } };
    const { self } = this.#ownership;
    const others = this.#ownership.replicas().filter(({ id }) => id !== self.id);
    const shares = others.map(async (replica) => {
      const channel = await this.#channels.to(replica).catch(() => undefined);
      return channel && askShare(channel, requestHead, this.#service.engine.realClock);
    });
    return (await Promise.all(shares)).filter((share) => share !== undefined);
  }

  /** Asks a replica with the key of the request. */
  #streamOpener(request: IncomingMessage, forwarded: ForwardedRequest): AskReplica {
    return async (replica, { url, lastEventId }, events) => {
      const channel = await this.#channels.to(replica);
      const requestHead = this.#shareOf(request, forwarded, url);
      const headers = { ...requestHead.headers, "last-event-id": lastEventId };
      return {
        channel,
        exchange: channel.open(JSON.stringify({ ...requestHead, headers }), events),
      };
    };
  }

  /** The head of a GET of that URL with the key of the request. */
  #shareOf(request: IncomingMessage, forwarded: ForwardedRequest, url: string): RequestHead {
    const { recordsVersion } = this.#service.engine.steps;
    const known = { waitedMs: 0, recordsVersion };
    const requestHead = requestHeadOf(request, this.#withSession(request, forwarded), known);
    return { ...requestHead, method: "GET", url, isShare: true };
  }

  #withSession(request: IncomingMessage, forwarded: ForwardedRequest): ForwardedRequest {
    if (forwarded.sessionKeyId !== undefined || !isDashboards(request)) return forwarded;
    return { ...forwarded, sessionKeyId: sessionKeyId(this.#service, request) };
  }

  #forwardedRequestOf(request: IncomingMessage, submits?: JobKind): ForwardedRequest {
    const known = forwardedRequestOf(request);
    if (known !== undefined) return known;
    const { engine } = this.#service;
    const jobId = submits && newJobId(engine, submits);
    return noteForwardedRequest(request, { from: undefined, address: undefined, jobId }, engine);
  }
}

function refuseMoved(exchange: Exchange, owned: Owned): void {
  exchange.response.setHeader(MOVED_HEADER, "1");
  refuse(exchange, endpointMoved(owned));
}

/** Whether the request comes from a session of the dashboard. */
function isDashboards(request: IncomingMessage): boolean {
  return request.headers.authorization === undefined && isByDashboard(request);
}

function stopping(): ServiceError {
  return new ServiceError("shutting_down", "the service is stopping");
}

function throwing(error: unknown): never {
  throw error;
}

/** An invalid query is refused by the replica that answers. */
function orNone(read: () => number): number {
  try {
    return read();
  } catch {
    return 0;
  }
}
