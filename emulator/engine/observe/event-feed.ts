/** Publishes every committed change of state to its listeners; past events are not kept. */
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { JobEventType } from "../../core/jobs/job-event.ts";
import type { WorkerState } from "../../core/workers/worker-life.ts";

/** The status of a job changed. */
export interface JobMove {
  readonly type: "job";
  readonly endpointId: string;
  readonly jobId: string;
  /** Null: it did not exist. */
  readonly from: JobStatus | null;
  /** Null: it was deleted. */
  readonly to: JobStatus | null;
  /** The event of the state machine. */
  readonly by: JobEventType | "submit";
}

export type StateChange =
  | JobMove
  | {
      readonly type: "worker";
      readonly endpointId: string;
      readonly workerId: string;
      readonly state: WorkerState;
    }
  | {
      readonly type: "endpoint";
      readonly endpointId: string;
      readonly change: "created" | "changed" | "deleted";
    }
  /** The scaler decided; `reason` is a sentence. */
  | {
      readonly type: "scale";
      readonly endpointId: string;
      readonly start: number;
      readonly drain: readonly string[];
      readonly workers: number;
      readonly wanted: number;
      readonly reason: string;
    }
  /** The clock was advanced. */
  | { readonly type: "clock"; readonly offsetMs: number };

/** A change with the moment of its publication, in service time (ms). */
export type ServiceEvent = StateChange & { readonly at: number };

type Listener = (event: ServiceEvent) => void;

export class EventFeed {
  readonly #clock: Clock;
  readonly #listeners = new Set<Listener>();

  /** @param clock service time */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isFollowed(): boolean {
    return this.#listeners.size > 0;
  }

  /** Call it after the commit. */
  publish(change: StateChange): void {
    if (!this.isFollowed) return;
    const event = { at: this.#clock.now(), ...change };
    for (const listener of this.#listeners) listener(event);
  }

  /** Calls `listener` with every event until the returned function is called. */
  follow(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
