/** The life of one program in a container or a pod: it is placed, started, watched, ended and removed. An adapter fills in these five steps. */
import type { Clock } from "../../core/time/clock.ts";
import { pause } from "../../core/time/pause.ts";
import type { LaunchedWorker, WorkerExit } from "../launcher.ts";
import { type Bounds, limitMet, sharedMemory } from "./limits-met.ts";
import { LineTail } from "./line-tail.ts";
import { type Asked, goneWithEngine, neverRan, notStarted } from "./worker-exit.ts";

/** Interval at which the request to end is repeated, if the engine did not accept it. */
const ASK_AGAIN_MS = 1_000;

/** @template Thing a container or a pod. @template Place how the running program is reached */
export interface RunSteps<Thing, Place> {
  /** Makes the thing and whatever it needs. @throws Error with a sentence; the reason of `signal` */
  place(signal: AbortSignal): Promise<Thing>;
  /** Starts the program. Absent if the thing starts it by itself; then `watch` calls `begun`. @throws as `place` */
  start?(thing: Thing, run: Run<Thing, Place>): Promise<Place>;
  /** Resolves when the program has ended. Never rejects. */
  watch(thing: Thing, run: Run<Thing, Place>): Promise<WorkerExit>;
  /** Asks the program to end. Rejects if the engine did not accept the request. */
  end(thing: Thing, asked: Asked): Promise<void>;
  /** Removes the thing, if it was made, now or as soon as the engine answers. Never rejects. */
  remove(thing: Thing | undefined): Promise<void>;
  /** Called when the run is left to the next start of the service. Stops reading. */
  leave?(): void;
  /** Adds what is known about the thing to the problem of its start. */
  explain?(problem: string): string;
}

/** The program of a run, as its launcher knows it. */
export interface RunProgram {
  /** Called with each line that it writes. */
  readonly line: (line: string) => void;
  /** The limits of its container. Undefined if its template is invalid. */
  readonly bounds: Bounds | undefined;
  /** Called with a sentence, once for each limit that it meets. */
  readonly met: (limit: string) => void;
}

export interface RunHost {
  readonly clock: Clock;
  /** The name of the engine in messages, for example `the Docker engine`. */
  readonly engine: string;
  /** Records an error of the engine. Returns a sentence about it. */
  readonly failed: (error: unknown) => string;
}

export class Run<Thing, Place> {
  readonly exited: Promise<WorkerExit>;
  readonly tail: LineTail;
  readonly #steps: RunSteps<Thing, Place>;
  readonly #host: RunHost;
  readonly #runs = Promise.withResolvers<Place>();
  readonly #calledOff = new AbortController();
  readonly #left = Promise.withResolvers<WorkerExit>();
  #thing: Thing | undefined;
  #asked: Asked | undefined;
  #hasEnded = false;
  readonly #program: RunProgram;
  /** Sentences about the limits that the program met, the newest last. */
  readonly #met = new Set<string>();

  constructor(steps: RunSteps<Thing, Place>, host: RunHost, program: RunProgram) {
    this.#steps = steps;
    this.#host = host;
    this.#program = program;
    this.tail = new LineTail((text) => this.#wrote(text));
    this.exited = Promise.race([this.#live(), this.#left.promise]);
  }

  /** Resolves when the program runs; never settles if it does not run. */
  get running(): Promise<Place> {
    return this.#runs.promise;
  }

  /** The container or the pod, once it has been started. */
  get thing(): Thing | undefined {
    return this.#thing;
  }

  /** The last request to end. */
  get asked(): Asked | undefined {
    return this.#asked;
  }

  /** Aborted by the first request to end. */
  get signal(): AbortSignal {
    return this.#calledOff.signal;
  }

  begun(place: Place): void {
    this.#runs.resolve(place);
  }

  drain(): void {
    this.#ask("leave");
  }

  kill(): void {
    this.#ask("die");
  }

  /** Stops waiting for the engine: the program counts as ended. */
  abandon(reason: string): void {
    this.#hasEnded = true;
    this.#calledOff.abort();
    this.#steps.leave?.();
    this.#left.resolve(goneWithEngine(`${this.#host.engine}: ${reason}`, this.tail.end()));
  }

  async #live(): Promise<WorkerExit> {
    const steps = this.#steps;
    let thing: Thing | undefined;
    try {
      thing = await steps.place(this.signal);
      if (steps.start !== undefined) this.begun(await steps.start(thing, this));
    } catch (error) {
      const problem = this.#host.failed(error);
      await steps.remove(thing);
      if (this.signal.aborted) return neverRan(this.#asked);
      return notStarted(steps.explain?.(problem) ?? problem);
    }
    this.#thing = thing;
    if (this.#asked !== undefined) this.#passOn(thing, this.#asked);
    const exit = await steps.watch(thing, this);
    this.#hasEnded = true;
    await steps.remove(thing);
    return this.#withLimit(exit);
  }

  #wrote(text: string): void {
    const { line, bounds } = this.#program;
    line(text);
    const limit = bounds && limitMet(text, bounds);
    if (limit !== undefined) this.#meet(limit);
  }

  #meet(limit: string): void {
    if (this.#met.has(limit)) return;
    this.#met.add(limit);
    this.#program.met(limit);
  }

  /** Only a program that failed by itself may have failed by a limit. */
  #withLimit(exit: WorkerExit): WorkerExit {
    const { exitCode, signal, startError, goneWith, outOfMemory } = exit;
    const isExplained = startError !== undefined || goneWith !== undefined || outOfMemory;
    if (isExplained || exitCode === 0 || this.#asked !== undefined) return exit;
    const { bounds } = this.#program;
    if (bounds && signal === "SIGBUS") this.#meet(sharedMemory(bounds));
    const limit = [...this.#met].at(-1);
    return limit === undefined ? exit : { ...exit, limit };
  }

  #ask(asked: Asked): void {
    if (this.#asked === "die" || this.#asked === asked) return;
    this.#asked = asked;
    this.#calledOff.abort();
    if (this.#thing !== undefined) this.#passOn(this.#thing, asked);
  }

  /** Repeats the request until the engine has accepted it. */
  #passOn(thing: Thing, asked: Asked): void {
    if (this.#hasEnded || this.#asked !== asked) return;
    this.#steps.end(thing, asked).catch(async (error: unknown) => {
      this.#host.failed(error);
      await pause(this.#host.clock, ASK_AGAIN_MS);
      this.#passOn(thing, asked);
    });
  }
}

/** The worker of a run. @param own properties of the launcher */
export function workerOf<Thing, Place>(
  run: Run<Thing, Place>,
  own: Pick<LaunchedWorker, "kind"> & Partial<LaunchedWorker>,
): LaunchedWorker {
  return {
    running: run.running.then(() => undefined),
    exited: run.exited,
    // Its image may be one of the live service.
    speaksLate: true,
    drain: () => run.drain(),
    kill: () => run.kill(),
    ...own,
  };
}
