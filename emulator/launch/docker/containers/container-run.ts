/** The steps of a run in a container: image, container, program, end, removal. */
import type { Clock } from "../../../core/time/clock.ts";
import { within } from "../../../core/time/pause.ts";
import type { WorkerExit } from "../../launcher.ts";
import type { Run, RunSteps } from "../../runs/run.ts";
import {
  type Asked,
  exitByCode,
  exitWith,
  goneWithEngine,
  notStarted,
} from "../../runs/worker-exit.ts";
import { type ContainerEnd, type EngineContainer, EngineError } from "../container-engine.ts";
import { programProblem, startProblem } from "../docker-errors.ts";
import { ContainerWatch } from "./container-watch.ts";

/** Timeout of the lines that are still on their way from a container when it has ended. */
const LAST_LINES_MS = 2_000;

/** Exit codes and log line by which the engine's init says that it could not run the program: the container itself did start. */
const CANNOT_RUN: readonly number[] = [126, 127];
const INIT_COMPLAINT = /^\[FATAL tini \(\d+\)\] (exec .* failed: .*)$/u;

export interface ContainerRunOptions<Place> {
  /** Makes the container and whatever it needs before. @throws Error with a sentence; the reason of `signal` */
  readonly make: (signal: AbortSignal) => Promise<EngineContainer>;
  /** Where the program is reached, asked when it has started. @throws Error with a sentence where it is not */
  readonly placeOf: (container: EngineContainer) => Promise<Place>;
  /** Removes the container, now or as soon as the engine answers. Never rejects. */
  readonly remove: (id: string) => Promise<void>;
  /** Takes note of what the engine's operations throw. */
  readonly failed: (error: unknown) => void;
  readonly clock: Clock;
}

type Course = Pick<Run<EngineContainer, unknown>, "asked" | "signal" | "tail">;

export class ContainerRun<Place> implements RunSteps<EngineContainer, Place> {
  readonly #options: ContainerRunOptions<Place>;
  #watch: ContainerWatch | undefined;
  /** Settles when no more output will come; undefined while nothing listens. */
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
    const { clock, failed } = this.#options;
    this.#watch = new ContainerWatch(container, {
      clock,
      failed,
      // An engine that was started anew sends no output until it is asked again.
      runs: () => this.#listenTo(container, run),
      isKilled: () => run.asked === "die",
    });
    try {
      const { wasAway, ...end } = await this.#watch.end();
      await within(clock, LAST_LINES_MS, this.#output ?? Promise.resolve());
      const lines = run.tail.end();
      if (wasAway) return goneWithEngine("the Docker engine, which was away when it ended", lines);
      return exitOf(end, lines);
    } catch (error) {
      const lastLogLines = run.tail.end();
      if (error instanceof EngineError && error.status === 404)
        return exitWith({ goneWith: "its container, which somebody removed", lastLogLines });
      return goneWithEngine(`the Docker engine: ${startProblem(error)}`, lastLogLines);
    }
  }

  async end(container: EngineContainer, asked: Asked): Promise<void> {
    await container.signal(asked === "die" ? "SIGKILL" : "SIGTERM");
    if (asked === "die") this.#watch?.look();
  }

  async remove(container: EngineContainer | undefined): Promise<void> {
    if (container !== undefined) await this.#options.remove(container.id);
  }

  async #listenTo(container: EngineContainer, { tail }: Course): Promise<void> {
    if (this.#output !== undefined) return;
    const { ended } = await container.attach((bytes) => tail.push(bytes));
    this.#output = ended;
    void ended.then(() => (this.#output = undefined));
  }
}

/**
 * How the program of a container ended. Memory may also run out for a process of the handler's, which the worker survives and
 * reports: it is the cause of the worker's end only if SIGKILL ended the worker itself.
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
