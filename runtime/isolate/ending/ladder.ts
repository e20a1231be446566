/**
 * The ladder that ends a handler, each rung only if the one before had no effect:
 *
 * 1. abort: the job is late or was taken away. Its outcome is decided, and its handler's signal aborts.
 * 2. grace: the handler may stop by itself. If it does not, its process is ended from rung 4 on.
 * 3. leave: a process that runs no job and has something to tidy up may dispose of it, within the grace.
 * 4. SIGTERM: to the process and its group, and again the grace.
 * 5. SIGKILL: to the process and everything it started.
 * 6. respawn: the next process starts at once; after one that did not become ready, it waits longer each time.
 */
import { backoffMs } from "../../core/backoff.ts";
import type { PausableClock } from "../../core/pausable-clock.ts";
import { ORDER } from "../../pipe/frame-kinds.ts";
import { endMarked, killTree, MARKER_NAME, signalGroup } from "../../pipe/process-tree.ts";
import { type Due, DueTimer } from "./due-timer.ts";

/** A job as the ladder sees it. */
interface StoppableJob extends Due {
  /** First the deadline; after the order to stop, the end of the grace. */
  dueAt: number;
  /** Why it is being ended; undefined while its outcome is open. */
  readonly ending: string | undefined;
}

export interface JobLadderEvents<Job> {
  /** Its deadline has passed and its outcome is open: it is to be stopped. */
  late(job: Job): void;
  /** The grace is over, and the job has not stopped. */
  stubborn(job: Job): void;
}

/** Rungs 1 and 2: a job that is added is late at its deadline. */
export class JobLadder<Job extends StoppableJob> extends DueTimer<Job> {
  readonly #graceMs: number;

  constructor(clock: PausableClock, graceMs: number, events: JobLadderEvents<Job>) {
    super(clock, (job) => (job.ending === undefined ? events.late(job) : events.stubborn(job)));
    this.#graceMs = graceMs;
  }

  /** 1. abort → 2. grace. */
  stop(job: Job, abort: () => void): void {
    abort();
    this.remove(job);
    job.dueAt = this.clock.now() + this.#graceMs;
    this.add(job);
  }
}

/** A handler process as the ladder sees it. */
export interface EndableHandler {
  /** Whether the handler would do something on being told to leave. */
  readonly hasToTidyUp: boolean;
  readonly process: {
    /** Undefined when there is none, or none any more: nothing may be signalled then. */
    readonly pid: number | undefined;
    /** What its environment, and that of all its descendants, is marked with. */
    readonly marker: string;
    send(kind: number, slot: number): void;
  };
}

/** A time that a process is given for something. */
export interface Limit extends Due {
  reached(): void;
}

/** Rungs 3 to 5, for one handler process. One limit runs at a time: for becoming ready, for leaving, or for heeding SIGTERM. */
export class ProcessLadder {
  readonly #handler: EndableHandler;
  readonly #graceMs: number;
  #limits: DueTimer<Limit>;
  #limit: Limit | undefined;
  #isEnding = false;

  /** @param limits where its limits are kept */
  constructor(handler: EndableHandler, graceMs: number, limits: DueTimer<Limit>) {
    this.#handler = handler;
    this.#graceMs = graceMs;
    this.#limits = limits;
  }

  /** Hands an idle process to another keeper, which has its limits from now on. */
  handTo(limits: DueTimer<Limit>): void {
    this.#limits = limits;
  }

  /** It was told to leave or end; a report that it is ready comes too late. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Ends a process that is not ready by then. The first call counts. */
  readyWithin(limitMs: number, late: () => void): void {
    if (this.#limit !== undefined) return;
    this.#within(limitMs, () => {
      late();
      if (this.#handler.hasToTidyUp) this.leave();
      else this.kill();
    });
  }

  /** 3. leave; straight to SIGTERM if there is nothing to tidy up. Idempotent. */
  leave(): void {
    if (this.#isEnding) return;
    if (!this.#handler.hasToTidyUp) return this.terminate();
    this.#isEnding = true;
    this.#handler.process.send(ORDER.leave, 0);
    this.#within(this.#graceMs, () => this.terminate());
  }

  /** 4. SIGTERM. */
  terminate(): void {
    this.#isEnding = true;
    const { pid } = this.#handler.process;
    if (pid !== undefined) signalGroup(pid, "SIGTERM");
    this.#within(this.#graceMs, () => this.kill());
  }

  /** 5. SIGKILL. */
  kill(): void {
    const { pid, marker } = this.#handler.process;
    if (pid !== undefined) killTree(pid, MARKER_NAME, marker);
  }

  /** It is ready, or gone: no time limit runs any more. */
  stopWaiting(): void {
    if (this.#limit !== undefined) this.#limits.remove(this.#limit);
  }

  #within(ms: number, reached: () => void): void {
    this.stopWaiting();
    this.#limit = { dueAt: this.#limits.clock.now() + ms, reached };
    this.#limits.add(this.#limit);
  }
}

/** What a process has started ends with it, however it ended: it may hold the pipes open, and a GPU. */
export async function killDescendants(pid: number, marker: string): Promise<void> {
  signalGroup(pid, "SIGKILL");
  await endMarked(MARKER_NAME, marker);
}

/** Maximum failed starts in a row of a handler that was ready once, for example while a file is replaced. */
const MAX_RESTART_FAILURES = 5;
const restartTerms = { firstMs: 500, maxMs: 30_000 };

/** 6. respawn: how long the next process waits. */
export class Respawn {
  #wasReady = false;
  #failures = 0;

  ready(): void {
    this.#wasReady = true;
    this.#failures = 0;
  }

  /** The wait after a process that did not become ready, ms; undefined: there is no point in another one. */
  afterFailure(): number | undefined {
    this.#failures++;
    if (!this.#wasReady || this.#failures > MAX_RESTART_FAILURES) return undefined;
    return backoffMs(this.#failures, restartTerms, Math.random());
  }
}
