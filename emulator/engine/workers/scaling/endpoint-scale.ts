/** The state of an endpoint between two decisions of the scaler. */
import type { Disarm } from "../../../core/time/clock.ts";
import type { Endpoint } from "../../../core/resources/endpoints/endpoint.ts";
import type { ScaleDue } from "../../../core/workers/scale-reason.ts";
import {
  decideScale,
  type ScalerDecision,
  type ScalerInput,
} from "../../../core/workers/scaler.ts";
import type { ServiceClock } from "../../time/service-clock.ts";
import type { WorkerHandle } from "../worker-handle.ts";
import { StartBackoff } from "./start-backoff.ts";

/** The input of a decision, except for earlier starts of workers and their failures. */
export interface Seen extends Pick<ScalerInput, "demand" | "now"> {
  readonly endpoint: Endpoint;
  readonly workers: readonly WorkerHandle[];
}

interface Moment {
  readonly dueAt: number;
  readonly dueFor: ScaleDue | undefined;
}

export class EndpointScale {
  readonly endpointId: string;
  /** The version of the endpoint: failures of an earlier one do not count. */
  readonly version: number;
  readonly backoff = new StartBackoff();
  lastStartAt: number | undefined;
  /** Why the last worker could not be started. Undefined if it was started. */
  refusal: string | undefined;
  /** Why the last worker that failed did so: a sentence without its subject. */
  failure: string | undefined;
  #disarm: Disarm | undefined;
  /** Workers that the last decision kept for jobs, and the moment at which the timer fires for the next one. */
  readonly planned = { needed: 0, dueAt: Number.POSITIVE_INFINITY };
  /** Due time and cause of the next decision, as the last decision set them. */
  #next: Moment = { dueAt: Number.POSITIVE_INFINITY, dueFor: undefined };
  #waitingSince: number | undefined;

  constructor({ id, version }: Pick<Endpoint, "id" | "version">) {
    this.endpointId = id;
    this.version = version;
  }

  /** A sentence about what keeps workers from starting. Undefined if nothing does, or a worker became ready since. */
  get problem(): string | undefined {
    if (this.refusal !== undefined) return `no worker can be started: ${this.refusal}`;
    return this.backoff.isProbing && this.failure !== undefined
      ? `a worker ${this.failure}`
      : undefined;
  }

  decide(seen: Seen): ScalerDecision {
    for (const { state, endpointVersion, life } of seen.workers) {
      if (state === "ready" && endpointVersion === this.version && life.readyAt !== undefined)
        this.backoff.becameReady(life.readyAt);
    }
    const decision = decideScale(this.#inputOf(seen));
    const { dueAt = Number.POSITIVE_INFINITY, dueFor, needed } = decision;
    this.#next = { dueAt, dueFor };
    this.planned.needed = needed;
    this.#waitingSince = seen.demand.waitingSince;
    return decision;
  }

  /**
   * Calls `decide` when the next decision is due, or at `retryAt` if that is sooner; `look` shows whether jobs have put the
   * decision off since.
   */
  aim(clock: ServiceClock, retryAt: number, look: () => Seen, decide: () => void): void {
    const { dueAt, dueFor } = this.#next;
    const isRetry = retryAt < dueAt || dueFor === undefined;
    this.stop();
    this.planned.dueAt = Math.min(dueAt, retryAt);
    if (!Number.isFinite(this.planned.dueAt)) return;
    const { endpointId } = this;
    const note = { type: "scale", endpointId, dueFor: isRetry ? "try-again" : dueFor } as const;
    const stillAt = isRetry ? undefined : () => this.#dueBy(look());
    this.#disarm = clock.wakeAt(this.planned.dueAt, decide, note, stillAt);
  }

  stop(): void {
    this.#disarm?.();
    this.#disarm = undefined;
  }

  #dueBy(seen: Seen): number {
    const { waitingSince = this.#waitingSince } = seen.demand;
    const demand = {
      ...seen.demand,
      waitingSince: seen.demand.waiting > 0 ? waitingSince : undefined,
    };
    return decideScale(this.#inputOf({ ...seen, demand })).dueAt ?? Number.POSITIVE_INFINITY;
  }

  #inputOf(seen: Seen): ScalerInput {
    const { backoff, lastStartAt } = this;
    const { notBefore, isProbing } = backoff;
    return { ...seen, lastStartAt, notBefore, isProbing, hasStandIns: hasStandIns(seen.endpoint) };
  }
}

/**
 * Whether workers of the old version serve until one of the new version is healthy (ours), because requests have no queue to
 * wait in. Not with GPUs: the new worker may have to wait for those of the old one.
 */
function hasStandIns({ type, computeType }: Endpoint): boolean {
  return type === "LOAD_BALANCING" && computeType !== "GPU";
}
