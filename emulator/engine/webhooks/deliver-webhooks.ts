/** Makes due webhook calls, a bounded number at a time, and records their results. */
import { afterTry, type Delivery, type DeliveryTry } from "../../core/webhooks/delivery.ts";
import { closePieces, type Piece } from "../../core/jobs/opened-payload.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { PayloadDamagedError } from "../../store/payload.ts";
import type { WebhookResult, WebhookSender } from "../../webhooks/webhook-sender.ts";
import { isMoved } from "../steps/state/endpoint-moved.ts";
import { DueTimer } from "../time/due-timer.ts";
import { pause } from "../../core/time/pause.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { HistoryPort, TellPort } from "../observe/tell-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import { forgetOldDeliveries, storeTried } from "./change-deliveries.ts";
import { HeldUpDeliveries } from "./held-up-deliveries.ts";
import { deliveryBody } from "./delivery-body.ts";
import { beginWebhookSpan, endWebhookSpan } from "./webhook-span.ts";

/** Maximum number of concurrent calls, in total and per origin: a silent receiver blocks some of them for 10 s each. */
const MAX_CALLS = 32;
const MAX_CALLS_PER_ORIGIN = 8;

/** Interval before a failed read or write of the store is retried. */
const RETRY_MS = 1_000;

type DeliveryUses = StepPort & TimePort & TellPort & HistoryPort & WakePort;

interface WebhookCall {
  readonly delivery: Delivery;
  /** Aborts the call without a record. */
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

export class WebhookDelivery {
  readonly #engine: DeliveryUses;
  readonly #sender: WebhookSender;
  readonly #dueTimer: DueTimer;
  readonly #heldUp: HeldUpDeliveries;
  readonly #abort = new AbortController();
  /** Deliveries that are being tried, by id. */
  readonly #calls = new Map<string, WebhookCall>();
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #isOpen = false;

  constructor(engine: DeliveryUses, sender: WebhookSender) {
    this.#engine = engine;
    this.#sender = sender;
    this.#dueTimer = new DueTimer(engine.clock, () => this.wake());
    this.#heldUp = new HeldUpDeliveries(engine);
  }

  start(): void {
    this.#isOpen = true;
    this.wake();
  }

  /** Begins the calls that are due. Call it when one may have become due. */
  wake(): void {
    if (!this.#isOpen) return;
    this.#lookAgain = true;
    this.#looking ??= this.#engine.pendingWork.track("webhook calls", this.#look());
  }

  /** Makes sure that the newest delivery of the job follows the earlier ones. */
  release(jobId: string): void {
    this.#heldUp.add(jobId);
    this.wake();
  }

  /**
   * Begins no more calls. `drain` first begins due ones, as far as there is room, and waits for all that are in progress;
   * `kill` aborts them. The next start goes on with unsettled deliveries.
   */
  async stop(how: "drain" | "kill"): Promise<void> {
    if (how === "kill") this.abort();
    await this.#looking;
    this.#isOpen = false;
    this.#dueTimer.stop();
    await Promise.all(Array.from(this.#calls.values(), ({ done }) => done));
  }

  /** Begins the calls of endpoints that are owned from now on. */
  gained(): void {
    this.#heldUp.readAgain();
    this.wake();
  }

  /** Resolves when the present calls of the meant endpoints are over. */
  async ended(isMeant: (endpointId: string) => boolean): Promise<void> {
    await Promise.all(this.#callsOf(isMeant).map(({ done }) => done));
  }

  /** Aborts the calls of endpoints that have moved: their owner makes them again. Resolves when they are over. */
  async abandon(isMeant: (endpointId: string) => boolean): Promise<void> {
    for (const { abort } of this.#callsOf(isMeant)) abort.abort(MOVED);
    await this.ended(isMeant);
  }

  /** Aborts all calls; also during a `stop` that drains. */
  abort(): void {
    this.#isOpen = false;
    this.#abort.abort(STOPPING);
  }

  async #look(): Promise<void> {
    // One search serves all calls of `wake` in this turn.
    await Promise.resolve();
    while (this.#lookAgain) {
      this.#lookAgain = false;
      try {
        await this.#beginDue();
      } catch (error) {
        this.#engine.log.error({ err: error }, "the search for due webhook calls failed");
        this.#dueTimer.aim(this.#engine.clock.now() + RETRY_MS);
      }
    }
    this.#looking = undefined;
  }

  async #beginDue(): Promise<void> {
    const { clock, steps } = this.#engine;
    await this.#heldUp.release();
    const now = clock.now();
    if (this.#calls.size < MAX_CALLS) {
      // Deliveries in progress are still due.
      const limit = MAX_CALLS + this.#calls.size;
      const due = await steps.read(({ deliveries }) =>
        deliveries.due(now, limit, this.#busyOrigins()),
      );
      for (const delivery of due) if (this.#hasRoomFor(delivery)) this.#begin(delivery);
    }
    const { nextTryAt, oldestSettledAt } = await steps.read(async ({ deliveries }) => ({
      nextTryAt: await deliveries.nextTryAt(now),
      oldestSettledAt: await deliveries.oldestSettledAt(),
    }));
    if (nextTryAt !== undefined) this.#dueTimer.aim(nextTryAt);
    if (oldestSettledAt !== undefined) await this.#forgetOld(oldestSettledAt, now);
  }

  /** Deletes deliveries whose retention has ended, or sets the timer for the next one. */
  async #forgetOld(oldestSettledAt: number, now: number): Promise<void> {
    const { heldBackMs } = this.#engine.clock;
    const keptUntil = oldestSettledAt + LIMITS.webhookKeptMs + heldBackMs;
    if (keptUntil >= now) {
      this.#dueTimer.aim(keptUntil + 1);
      return;
    }
    await forgetOldDeliveries(this.#engine);
    // Timer of the next retention.
    this.#lookAgain = true;
  }

  #busyOrigins(): string[] {
    const counts = new Map<string, number>();
    for (const { delivery } of this.#calls.values())
      counts.set(delivery.origin, (counts.get(delivery.origin) ?? 0) + 1);
    return [...counts].flatMap(([origin, count]) => (count < MAX_CALLS_PER_ORIGIN ? [] : [origin]));
  }

  #callsOf(isMeant: (endpointId: string) => boolean): readonly WebhookCall[] {
    return [...this.#calls.values()].filter(({ delivery }) => isMeant(delivery.endpointId));
  }

  #hasRoomFor({ id, endpointId, origin }: Delivery): boolean {
    const { ownership } = this.#engine;
    if (!ownership.owns(endpointId) || ownership.isHeldBack(endpointId)) return false;
    if (!this.#isOpen || this.#calls.has(id) || this.#calls.size >= MAX_CALLS) return false;
    const others = Array.from(this.#calls.values(), ({ delivery }) => delivery);
    return others.filter((other) => other.origin === origin).length < MAX_CALLS_PER_ORIGIN;
  }

  #begin(delivery: Delivery): void {
    const abort = new AbortController();
    const signal = AbortSignal.any([this.#abort.signal, abort.signal]);
    const call = this.#call(delivery, signal)
      .catch((error: unknown) => {
        const fields = { deliveryId: delivery.id, err: error };
        this.#engine.log.error(fields, "a webhook call could not be made or recorded");
      })
      .finally(() => {
        this.#calls.delete(delivery.id);
        this.wake();
      });
    this.#calls.set(delivery.id, { delivery, abort, done: call });
    void this.#engine.pendingWork.track("a webhook call", call);
  }

  /** Reads the body, makes the call and records the result. An unrecorded call is repeated. */
  async #call(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const at = this.#engine.clock.now();
    const span = beginWebhookSpan(this.#engine.tracer, delivery);
    const traceparent = span?.traceparent ?? delivery.traceparent;
    const result = await this.#send(delivery, traceparent, signal);
    endWebhookSpan(span, result);
    if (result === undefined) return;
    const { headers, ...made } = result;
    await this.#record(delivery, { at, ...made }, { headers, signal });
  }

  /** Undefined if the service stops or the endpoint moves meanwhile. */
  async #send(
    delivery: Delivery,
    traceparent: string | undefined,
    signal: AbortSignal,
  ): Promise<WebhookResult | undefined> {
    const { id, url } = delivery;
    let pieces: readonly Piece[] | undefined;
    try {
      pieces = await this.#readBody(delivery);
      if (pieces === undefined) return undefined;
      return await this.#sender.send({ id, url, pieces, traceparent }, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      this.#engine.log.error(
        { deliveryId: delivery.id, err: error },
        "a webhook call failed inside the service",
      );
      const reason = error instanceof PayloadDamagedError ? error.message : NOT_SENT;
      return { durationMs: 0, headers: {}, error: reason };
    } finally {
      await closePieces(pieces ?? []);
    }
  }

  /** Undefined if the delivery has changed since it was found due. */
  #readBody({ id, seq, tries }: Delivery) {
    return this.#engine.steps.read(async (view) => {
      const current = await view.deliveries.byId(id);
      const isDue = current?.state === "pending" && current.tries.length === tries.length;
      return isDue ? deliveryBody(view, seq) : undefined;
    });
  }

  /** Retries while the store is full: otherwise a delivered webhook would be sent again and again. */
  async #record(
    delivery: Delivery,
    made: DeliveryTry,
    { headers, signal }: Pick<WebhookResult, "headers"> & { readonly signal: AbortSignal },
  ): Promise<void> {
    const { clock, log, tell } = this.#engine;
    const now = clock.now();
    const tried = afterTry(delivery, made, headers, now);
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      try {
        await storeTried(this.#engine, tried);
        break;
      } catch (error) {
        if (isMoved(error)) return;
        if (isFirst) log.error({ deliveryId: delivery.id, err: error }, NOT_RECORDED);
        await pause(this.#engine.clock, RETRY_MS, signal);
      }
    }
    tell({ type: "webhook-tried", delivery: tried, made });
    if (tried.state !== "failed") return;
    const { status, error, warning } = made;
    const reason = error ?? warning;
    log.warn({ deliveryId: tried.id, jobId: tried.jobId, status, reason }, GIVEN_UP);
  }
}

const STOPPING = new Error("the service is stopping");
const MOVED = new Error("the endpoint has moved");
const NOT_RECORDED =
  "the result of a webhook call could not be recorded yet; trying again every second";
const NOT_SENT = "the service could not read or send the body";
const GIVEN_UP = "a webhook was not delivered; no try is left";
