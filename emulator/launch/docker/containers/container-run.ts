/** The steps of a run in a container: image, container, program, end, removal. */
import type { Clock } from "../../../core/time/clock.ts";
import { pause, within } from "../../../core/time/pause.ts";
import type { WorkerExit } from "../../launcher.ts";
import type { Run, RunSteps } from "../../runs/run.ts";
import {
  type Asked,
  exitByCode,
  exitWith,
  goneWithEngine,
  notStarted,
} from "../../runs/worker-exit.ts";
import {
  type ContainerEnd,
  type ContainerNews,
  type EngineContainer,
  EngineError,
} from "../container-engine.ts";
import { programProblem } from "../../runs/start-causes.ts";
import { startProblem } from "../docker-errors.ts";

/** Timeout of the last lines from a container that has ended. */
const LAST_LINES_MS = 2_000;

/** Exit codes if the engine's init could not run the program. The container itself did start. */
const CANNOT_RUN: readonly number[] = [1, 126, 127];
const INIT_COMPLAINT = /^\[FATAL tini \(\d+\)\] (exec .* failed: .*)$/u;

/** Interval at which a container without events is checked. */
const LOOK_AGAIN_MS = 30_000;

/** Timeout of the engine's answer about an ending container, and interval between such requests. */
const PATIENCE_MS = 10_000;
const ASK_AGAIN_MS = 500;

/** Time after an end by SIGKILL in which an event may still report that memory ran out. The container's state may omit it. */
const LATE_NEWS_MS = 1_000;
/** Exit code of a program that SIGKILL ended. */
const KILLED = 137;

export interface ContainerRunOptions<Place> {
  /** Makes the container and everything it needs. @throws Error with a sentence; the reason of `signal` */
  readonly make: (signal: AbortSignal) => Promise<EngineContainer>;
  /** Finds the program's address after its start. @throws Error with a sentence if there is none */
  readonly placeOf: (container: EngineContainer) => Promise<Place>;
  /** Removes the container, now or as soon as the engine answers. Never rejects. */
  readonly remove: (id: string) => Promise<void>;
  /** Records errors of the engine's operations. */
  readonly failed: (error: unknown) => void;
  /** Adds what is known about the container to the problem of its start. */
  readonly explain: (problem: string) => string;
  readonly clock: Clock;
}

type Course = Pick<Run<EngineContainer, unknown>, "asked" | "signal" | "tail">;

interface SeenEnd extends ContainerEnd {
  /** True if the engine did not answer when the container ended, and may be the cause. */
  readonly wasAway: boolean;
}

/**
 * Waits for the end of a container by the engine's events, and asks at intervals too, because an event can be missed. Also
 * waits for an engine that does not answer, because its containers may continue. Once the service kills the silent worker, the
 * timeout counts from the engine's first failure.
 */
export class ContainerRun<Place> implements RunSteps<EngineContainer, Place> {
  readonly #options: ContainerRunOptions<Place>;
  /** Checks the container, in case it ended without an event. */
  #look: () => void = () => undefined;
  #wasAway = false;
  #failingSince: number | undefined;
  /** Settles when no more output will come. Undefined while nothing listens. */
  #output: Promise<void> | undefined;

  constructor(options: ContainerRunOptions<Place>) {
    this.#options = options;
  }

  place(signal: AbortSignal): Promise<EngineContainer> {
    return this.#options.make(signal);
  }

  async start(container: EngineContainer, run: Course): Promise<Place> {
    run.signal.throwIfAborted();
    await this.#listenTo(container, run);
    await container.start();
    return this.#options.placeOf(container);
  }

  async watch(container: EngineContainer, run: Course): Promise<WorkerExit> {
    const { clock } = this.#options;
    try {
      const { wasAway, ...end } = await this.#endOf(container, run);
      await within(clock, LAST_LINES_MS, this.#output ?? Promise.resolve());
      const lines = run.tail.end();
      if (wasAway) return goneWithEngine("the Docker engine, which was away when it ended", lines);
      const exit = exitOf(end, lines);
      const { startError } = exit;
      return startError === undefined ? exit : { ...exit, startError: this.explain(startError) };
    } catch (error) {
      const lastLogLines = run.tail.end();
      if (error instanceof EngineError && error.status === 404)
        return exitWith({
          goneWith: "its container, which was removed from outside",
          lastLogLines,
        });
      return goneWithEngine(`the Docker engine: ${startProblem(error)}`, lastLogLines);
    }
  }

  explain(problem: string): string {
    return this.#options.explain(problem);
  }

  async end(container: EngineContainer, asked: Asked): Promise<void> {
    await container.signal(asked === "die" ? "SIGKILL" : "SIGTERM");
    if (asked === "die") this.#look();
  }

  async remove(container: EngineContainer | undefined): Promise<void> {
    if (container !== undefined) await this.#options.remove(container.id);
  }

  /** @throws EngineError with status 404 if the container is gone, or any other after the timeout */
  async #endOf(container: EngineContainer, run: Course): Promise<SeenEnd> {
    for (;;) {
      try {
        return await this.#hear(container, run);
      } catch (error) {
        if (!(error instanceof EngineError) || error.status === 404) throw error;
        this.#options.failed(error);
        if (this.#isOverdue(error, run)) throw error;
      }
      await pause(this.#options.clock, ASK_AGAIN_MS);
    }
  }

  #isOverdue({ contact }: EngineError, { asked }: Course): boolean {
    const now = this.#options.clock.now();
    this.#failingSince ??= now;
    if (contact === "lost") this.#wasAway = true;
    const isAwaited = contact !== "kept" && asked !== "die";
    return !isAwaited && now - this.#failingSince >= PATIENCE_MS;
  }

  async #hear(container: EngineContainer, run: Course): Promise<SeenEnd> {
    const { clock } = this.#options;
    const hearing = new AbortController();
    let failure: EngineError | undefined;
    let news = Promise.withResolvers<void>();
    this.#look = () => news.resolve();
    const outOfMemory = Promise.withResolvers<void>();
    let ranOutOfMemory = false;
    const heard = (what: ContainerNews) => {
      if (what instanceof EngineError) failure ??= what;
      if (what === "out of memory") {
        ranOutOfMemory = true;
        outOfMemory.resolve();
      } else news.resolve();
    };
    try {
      await container.listen(heard, hearing.signal);
      for (;;) {
        // News that arrives during a check causes another check.
        news = Promise.withResolvers<void>();
        if (failure !== undefined) throw failure;
        const end = await container.ended();
        const wasAway = this.#wasAway;
        if (end !== undefined) {
          const mayBeMemory = end.exitCode === KILLED && run.asked !== "die" && !wasAway;
          if (mayBeMemory && !end.oomKilled) await within(clock, LATE_NEWS_MS, outOfMemory.promise);
          return { ...end, oomKilled: end.oomKilled || ranOutOfMemory, wasAway };
        }
        // A restarted engine sends no output until it is asked again.
        await this.#listenTo(container, run);
        this.#wasAway = false;
        this.#failingSince = undefined;
        await within(clock, LOOK_AGAIN_MS, news.promise);
      }
    } finally {
      hearing.abort();
    }
  }

  async #listenTo(container: EngineContainer, { tail }: Course): Promise<void> {
    if (this.#output !== undefined) return;
    const { ended } = await container.attach((bytes) => tail.push(bytes));
    this.#output = ended;
    void ended.then(() => (this.#output = undefined));
  }
}

/**
 * How a container's program ended. Lack of memory is the cause only if SIGKILL ended the worker itself: a handler process may
 * run out of memory too, which the worker survives and reports.
 */
export function exitOf(
  { exitCode, oomKilled }: ContainerEnd,
  lastLogLines: readonly string[],
): WorkerExit {
  if (CANNOT_RUN.includes(exitCode)) {
    const complaint = INIT_COMPLAINT.exec(lastLogLines.at(-1) ?? "")?.[1];
    if (complaint !== undefined) return notStarted(programProblem(complaint));
  }
  const exit = exitByCode(exitCode, lastLogLines);
  return { ...exit, outOfMemory: oomKilled && exit.signal === "SIGKILL" };
}
