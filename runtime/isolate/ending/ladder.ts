/**
 * The ladder that ends a handler. Each rung is used only if the one before had no effect:
 *
 * 1. abort: the job is late or its lease was revoked. Its outcome is decided, and its handler's signal aborts.
 * 2. grace: the handler may stop by itself. If it does not, its process is ended from rung 4 on.
 * 3. leave: a process without jobs may run the handler's `dispose`, within the grace.
 * 4. SIGTERM: to the process and its group, and again the grace.
 * 5. SIGKILL: to the process and everything it started.
 * 6. respawn: the next process starts at once. After a process that did not become ready, the wait grows each time.
 */
import { backoffMs } from "../../core/backoff.ts";
import type { PausableClock } from "../../core/pausable-clock.ts";
import { ORDER } from "../../pipe/frame-kinds.ts";
import { endMarked, killTree, MARKER_NAME, signalGroup } from "../../pipe/process-tree.ts";
import { type Due, DueTimer } from "./due-timer.ts";

/** A job on the ladder. */
interface StoppableJob extends Due {
  /** The deadline, or the end of the grace once the job was told to stop. */
  dueAt: number;
  /** Why the job is being ended; undefined while its outcome is open. */
  readonly ending: string | undefined;
}

export interface JobLadderEvents<Job> {
  /** Called when a job without an outcome has reached its deadline and must be stopped. */
  late(job: Job): void;
  /** Called when the grace is over and the job has not stopped. */
  stubborn(job: Job): void;
}

/** Rungs 1 and 2. An added job is late at its deadline. */
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

/** A handler process on the ladder. */
export interface EndableHandler {
  /** Whether the handler has something to do before it leaves. */
  readonly hasToTidyUp: boolean;
  readonly process: {
    /** Undefined before the start and after the end of the process, when no signal may be sent. */
    readonly pid: number | undefined;
    /** The marker in the environment of the process and all its descendants. */
    readonly marker: string;
    send(kind: number, slot: number): void;
  };
}

/** A time limit of a process. */
export interface Limit extends Due {
  reached(): void;
}

/**
 * Rungs 3 to 5, for one handler process. One time limit runs at a time: until it is ready, has left, or has ended after
 * SIGTERM.
 */
export class ProcessLadder {
  readonly #handler: EndableHandler;
  readonly #graceMs: number;
  #limits: DueTimer<Limit>;
  #limit: Limit | undefined;
  #isEnding = false;

  /** @param limits timer of the time limits */
  constructor(handler: EndableHandler, graceMs: number, limits: DueTimer<Limit>) {
    this.#handler = handler;
    this.#graceMs = graceMs;
    this.#limits = limits;
  }

  /** Hands an idle process to another keeper, whose timer has its limits from now on. */
  handTo(limits: DueTimer<Limit>): void {
    this.#limits = limits;
  }

  /** True once the process was told to leave or end. A report that it is ready is then too late. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Ends the process if it is not ready within the limit. Only the first call counts. */
  readyWithin(limitMs: number, late: () => void): void {
    if (this.#limit !== undefined) return;
    this.#within(limitMs, () => {
      late();
      if (this.#handler.hasToTidyUp) this.leave();
      else this.kill();
    });
  }

  /** 3. leave, or SIGTERM at once if the handler has nothing to do before. Idempotent. */
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

  /** Ends the time limit. Call it when the process is ready or gone. */
  stopWaiting(): void {
    if (this.#limit !== undefined) this.#limits.remove(this.#limit);
  }

  #within(ms: number, reached: () => void): void {
    this.stopWaiting();
    this.#limit = { dueAt: this.#limits.clock.now() + ms, reached };
    this.#limits.add(this.#limit);
  }
}

/** Kills all processes that the process has started. They may hold the pipes open, and a GPU. */
export async function killDescendants(pid: number, marker: string): Promise<void> {
  signalGroup(pid, "SIGKILL");
  await endMarked(MARKER_NAME, marker);
}

/** Maximum consecutive failed starts of a handler that was ready before, for example while a file is replaced. */
const MAX_RESTART_FAILURES = 5;
const restartTerms = { firstMs: 500, maxMs: 30_000 };

/** 6. respawn: the wait before the next process. */
export class Respawn {
  #wasReady = false;
  #failures = 0;

  ready(): void {
    this.#wasReady = true;
    this.#failures = 0;
  }

  /** The wait after a process that did not become ready, ms. Undefined if no other process should be tried. */
  afterFailure(): number | undefined {
    this.#failures++;
    if (!this.#wasReady || this.#failures > MAX_RESTART_FAILURES) return undefined;
    return backoffMs(this.#failures, restartTerms, Math.random());
  }
}
