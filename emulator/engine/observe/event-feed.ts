/** Publishes changes of state to listeners, and keeps the newest events for listeners that reconnect. */
import { Buffer } from "node:buffer";
import type { Failure } from "../../../runtime/protocol/failure.ts";
import type { AttemptEnd } from "../../core/observe/log/attempt-end.ts";
import type { Clock, Random } from "../../core/time/clock.ts";
import { guarded, type OnDefect } from "../../core/guarded.ts";
import type {
  DeliveryChanged,
  EndpointChanged,
  Fact,
  StatusMove,
} from "../../core/observe/fact.ts";
import { reasonInWords } from "../../core/workers/scale-reason.ts";
import type { WorkerState } from "../../core/workers/worker-life.ts";

/** An attempt at a job ended, and the job is kept. */
interface AttemptEnded {
  readonly type: "attempt";
  readonly endpointId: string;
  readonly jobId: string;
  /** Counts the hand-overs of the job, from 1. */
  readonly number: number;
  readonly outcome: AttemptEnd["outcome"];
  /** Its message may be cut. */
  readonly failure: Pick<Failure, "type" | "message"> | undefined;
}

interface JobMove extends StatusMove {
  readonly type: "job";
  readonly endpointId: string;
  readonly jobId: string;
}

/** A change is kept for long, so it has short texts only. */
export type StateChange =
  | JobMove
  | AttemptEnded
  | {
      readonly type: "worker";
      readonly endpointId: string;
      readonly workerId: string;
      readonly state: WorkerState;
    }
  | EndpointChanged
  | DeliveryChanged
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
  | { readonly type: "clock"; readonly offsetMs: number };

/** A change with the moment of its publication, in service time (ms), and its number in this run, from 1. */
export type ServiceEvent = StateChange & { readonly at: number; readonly serial: number };

/** The events that a reader missed. If they are no longer kept, a sentence that says why. */
export type Missed = { readonly events: readonly ServiceEvent[] } | { readonly gone: string };

type Listener = (event: ServiceEvent) => void;

/** Maximum length of a message in an event; longer ones are cut. */
const MESSAGE_CHARACTERS = 500;

/** Maximum number of newest events that are kept. */
const KEPT = 10_000;
const RUN_ID_LENGTH = 8;

export class EventFeed {
  readonly #clock: Clock;
  readonly #random: Pick<Random, "shortId">;
  readonly #onDefect: OnDefect;
  readonly #listeners = new Set<Listener>();
  readonly #kept: number;
  /** Event n is at n % kept. Events are kept as published, which costs almost nothing. */
  readonly #changes: StateChange[] = [];
  readonly #moments: Float64Array;
  #newest = 0;
  /** Distinguishes the ids of this run from ids of other runs. */
  #run: string | undefined;

  /**
   * @param clock service time
   * @param kept number of newest events that are kept
   */
  constructor(clock: Clock, random: Pick<Random, "shortId">, onDefect: OnDefect, kept = KEPT) {
    this.#clock = clock;
    this.#random = random;
    this.#onDefect = onDefect;
    this.#kept = kept;
    this.#moments = new Float64Array(kept);
  }

  get isFollowed(): boolean {
    return this.#listeners.size > 0;
  }

  /** The number of the newest event; 0 before the first. */
  get newest(): number {
    return this.#newest;
  }

  take(fact: Fact): void {
    switch (fact.type) {
      case "job": {
        const { from, to, by, job, ended } = fact;
        const { endpointId, id: jobId } = job;
        this.publish({ type: "job", endpointId, jobId, from, to, by });
        if (ended === undefined || from !== "IN_PROGRESS" || to === null) return;
        const { attempt: number, outcome } = ended;
        const failure = ended.failure && brief(ended.failure);
        return this.publish({ type: "attempt", endpointId, jobId, number, outcome, failure });
      }
      case "worker": {
        const { endpointId, workerId, state } = fact;
        return this.publish({ type: "worker", endpointId, workerId, state });
      }
      case "scale": {
        const { endpointId, decision } = fact;
        const { start, drain, workers, wanted } = decision;
        const reason = reasonInWords(decision);
        return this.publish({ type: "scale", endpointId, start, drain, workers, wanted, reason });
      }
      case "endpoint":
      case "webhook":
      case "clock":
        return this.publish(fact);
      default:
    }
  }

  publish(change: StateChange): void {
    this.#newest += 1;
    const place = this.#newest % this.#kept;
    this.#changes[place] = change;
    this.#moments[place] = this.#clock.now();
    if (this.#listeners.size === 0) return;
    const event = this.#event(this.#newest, change);
    for (const listener of this.#listeners) listener(event);
  }

  /** Calls `listener` with every event until the returned function is called. */
  follow(listener: Listener): () => void {
    const added = guarded(listener, this.#onDefect);
    this.#listeners.add(added);
    return () => void this.#listeners.delete(added);
  }

  /** The id of the event with that number. Clients treat it as opaque. */
  idOf(serial: number): string {
    this.#run ??= this.#random.shortId(RUN_ID_LENGTH);
    return `${this.#run}-${serial}`;
  }

  /** The events after the one with that id. */
  since(id: string): Missed {
    const known = Number(id.slice(id.lastIndexOf("-") + 1));
    const isOfRun = known >= 0 && known <= this.#newest && this.idOf(known) === id;
    if (!isOfRun) return { gone: OTHER_RUN };
    if (this.#newest - known > this.#kept) return { gone: TOO_MANY };
    const events: ServiceEvent[] = [];
    for (let next = known + 1; next <= this.#newest; next += 1) {
      const change = this.#changes[next % this.#kept];
      if (change) events.push(this.#event(next, change));
    }
    return { events };
  }

  #event(serial: number, change: StateChange): ServiceEvent {
    return { serial, at: this.#moments[serial % this.#kept] ?? 0, ...change };
  }
}

function brief({ type, message }: Failure): AttemptEnded["failure"] {
  if (message.length <= MESSAGE_CHARACTERS) return { type, message };
  // A copy: a slice would keep the whole text in memory.
  return { type, message: Buffer.from(message.slice(0, MESSAGE_CHARACTERS)).toString() };
}

const OTHER_RUN =
  "the event is from another run of the service: read the states, and follow from here";
const TOO_MANY = "some events since then are no longer kept: read the states, and follow from here";
