/** Passes requests on to the replica that owns their subject, and searches for it while it moves. */
import type { Buffer } from "node:buffer";
import { endpointMoved, type Owned, unknownEnd } from "../../engine/steps/state/endpoint-moved.ts";
import type { Ownership, Replica } from "../../store/ownership.ts";
import { type Exchange as Refused, refuse } from "../operation/answers/refuse.ts";
import type { HttpService } from "../operation/service.ts";
import type { ForwardedRequest } from "../operation/forwarded-request.ts";
import type { Channels } from "./channel/channels.ts";
import { PassedAnswer, type TryEnd } from "./passed-answer.ts";
import { PassedBody } from "./passed-body.ts";
import { requestHeadOf } from "./channel/request-head.ts";
import { OwnerSearch } from "./find-owner.ts";

export interface Passed extends Refused {
  readonly owned: Owned;
  readonly forwarded: ForwardedRequest;
  /** Whether it may be sent again after an unknown outcome. */
  readonly isRepeatable: boolean;
  /** Time that the client waits for the answer anyway, ms; default 0. */
  readonly waitMs?: number;
  /** True: this replica has tried to answer the request. */
  readonly isTriedHere?: boolean;
  /** The whole body, if it was already read. */
  readonly body?: Buffer;
}

/** Outcome of passing a request on, for the metrics. */
type Outcome = "answered" | "refused" | "client_gone";

export class Forwarder {
  readonly #service: HttpService;
  readonly #ownership: Ownership;
  readonly #channels: Channels;

  constructor(service: HttpService, ownership: Ownership, channels: Channels) {
    this.#service = service;
    this.#ownership = ownership;
    this.#channels = channels;
  }

  /** Lets another replica answer the request. Never rejects. */
  async forward(passed: Passed): Promise<void> {
    let outcome: Outcome = "answered";
    try {
      const end = await this.#tryAll(passed);
      if (end === "gone") outcome = "client_gone";
    } catch (error) {
      outcome = "refused";
      refuse(passed, error);
    }
    this.#service.engine.metrics.requestForwarded(outcome);
  }

  /** @throws ServiceError endpoint_moved */
  async #tryAll(passed: Passed): Promise<TryEnd> {
    const { request, response, owned, forwarded, isRepeatable, waitMs = 0 } = passed;
    const body = new PassedBody(request, passed.body);
    const search = new OwnerSearch(
      this.#service,
      this.#ownership,
      owned,
      forwarded.arrivedAt + waitMs,
    );
    let isFirst = passed.isTriedHere !== true;
    let hasBroken = false;
    const refusal = () => (hasBroken ? unknownEnd(owned) : endpointMoved(owned));
    for (;;) {
      if (response.destroyed) return "gone";
      const owner = await search.find(response);
      if (owner === undefined) throw refusal();
      const waitedMs = isFirst ? 0 : this.#service.engine.realClock.now() - forwarded.arrivedAt;
      const end = await this.#tryOnce(owner, passed, body, waitedMs);
      if (end === "answered" && search.waitedMs > 0)
        this.#service.engine.metrics.forwardedAfter(search.waitedMs);
      if (end === "answered" || end === "gone") return end;
      const mayRepeat = end === "moved" || end === "unreachable" || isRepeatable;
      // The replica may have closed the open connection just now. A new connection shows whether it is gone.
      if (end !== "broken" || hasBroken) search.wasNot(owner);
      hasBroken ||= end === "broken";
      if (!mayRepeat || !body.isKept) throw refusal();
      isFirst = false;
    }
  }

  async #tryOnce(
    owner: Replica,
    passed: Passed,
    body: PassedBody,
    waitedMs: number,
  ): Promise<TryEnd | "unreachable"> {
    const { request, response, forwarded } = passed;
    const channel = await this.#channels.to(owner).catch(() => undefined);
    if (channel === undefined) return "unreachable";
    if (response.destroyed) return "gone";
    const answer = new PassedAnswer(this.#service, response, body);
    const { recordsVersion } = this.#service.engine.steps;
    const requestHead = requestHeadOf(request, forwarded, { waitedMs, recordsVersion });
    const exchange = channel.open(JSON.stringify(requestHead), answer);
    body.passTo(exchange);
    const stopping = new AbortController();
    const forget = this.#service.wakeAtStop(stopping);
    stopping.signal.addEventListener("abort", () => exchange.wake());
    if (stopping.signal.aborted) exchange.wake();
    const end = await answer.follow(exchange);
    forget();
    return end;
  }
}
