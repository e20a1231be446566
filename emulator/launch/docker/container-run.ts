/** The life of one container: image, container, program, end, removal. */
import type { WorkerExit } from "../launcher.ts";
import { LineTail } from "../line-tail.ts";
import { type ContainerEnd, type EngineContainer, EngineError } from "./container-engine.ts";
import { exitOf, goneWith, neverRan, notStarted } from "./container-exit.ts";
import { startProblem } from "./engine-words.ts";

/** What is still on its way from a container that has ended comes within this time. */
const LAST_LINES_MS = 2_000;

/** An engine that went away has this long to come back and say how the container ended. */
const ENGINE_BACK_MS = 10_000;
const ENGINE_ASKED_MS = 500;

/** What all containers need of their launcher. */
export interface ContainerYard {
  /** Removes the container, now or as soon as the engine answers. Never rejects. */
  readonly remove: (id: string) => Promise<void>;
  /** To be told what the engine's operations throw. */
  readonly failed: (error: unknown) => void;
  /** Default: 10 s. */
  readonly engineBackMs?: number;
}

/** What one container is to be. */
export interface ContainerRole<Place> {
  /** Makes the container and whatever it needs before. @throws Error with a sentence; what `signal` was aborted with */
  readonly make: (signal: AbortSignal) => Promise<EngineContainer>;
  /** Where it is reached, asked when it has started. @throws Error with a sentence where it is not */
  readonly placeOf: (container: EngineContainer) => Promise<Place>;
  readonly line: (line: string) => void;
}

export class ContainerRun<Place> {
  readonly exited: Promise<WorkerExit>;
  readonly #role: ContainerRole<Place>;
  readonly #yard: ContainerYard;
  readonly #tail: LineTail;
  readonly #runs = Promise.withResolvers<Place>();
  /** Aborted when it is to go before its program runs. */
  readonly #calledOff = new AbortController();
  #container: EngineContainer | undefined;
  #signal: "SIGTERM" | "SIGKILL" | undefined;

  constructor(role: ContainerRole<Place>, yard: ContainerYard) {
    this.#role = role;
    this.#yard = yard;
    this.#tail = new LineTail(role.line);
    this.exited = this.#live();
  }

  /** Resolves when its program runs; stays open where it comes to nothing. */
  get running(): Promise<Place> {
    return this.#runs.promise;
  }

  drain(): void {
    this.#send("SIGTERM");
  }

  kill(): void {
    this.#send("SIGKILL");
  }

  #send(signal: "SIGTERM" | "SIGKILL"): void {
    this.#signal = signal;
    this.#calledOff.abort();
    // A signal that does not arrive is one for a container whose engine has gone: how that ends is seen by its end.
    this.#container?.signal(signal).catch((error: unknown) => this.#yard.failed(error));
  }

  async #live(): Promise<WorkerExit> {
    let made: EngineContainer | undefined;
    let output;
    let place;
    try {
      made = await this.#role.make(this.#calledOff.signal);
      this.#calledOff.signal.throwIfAborted();
      output = await made.attach((bytes) => this.#tail.push(bytes));
      await made.start();
      place = await this.#role.placeOf(made);
    } catch (error) {
      this.#yard.failed(error);
      if (made !== undefined) await this.#yard.remove(made.id);
      if (!this.#calledOff.signal.aborted) return notStarted(startProblem(error));
      return neverRan(this.#signal === "SIGKILL" ? "SIGKILL" : undefined);
    }
    this.#container = made;
    this.#runs.resolve(place);
    if (this.#signal !== undefined) this.#send(this.#signal);
    const exit = await this.#end(made, output.ended);
    await this.#yard.remove(made.id);
    return exit;
  }

  async #end(container: EngineContainer, written: Promise<void>): Promise<WorkerExit> {
    try {
      const end = await this.#patientEnd(container);
      await within(LAST_LINES_MS, written);
      return exitOf(end, this.#tail.end());
    } catch (error) {
      const lines = this.#tail.end();
      if (error instanceof EngineError && error.status === 404)
        return goneWith("its container, which somebody removed", lines);
      return goneWith(`the Docker engine: ${startProblem(error)}`, lines);
    }
  }

  /** An engine that is started anew still knows how its containers ended. */
  async #patientEnd(container: EngineContainer): Promise<ContainerEnd> {
    const { engineBackMs = ENGINE_BACK_MS } = this.#yard;
    const until = performance.now() + engineBackMs;
    for (;;) {
      try {
        return await container.end();
      } catch (error) {
        this.#yard.failed(error);
        const isGone = error instanceof EngineError && error.status === undefined;
        if (!isGone || performance.now() > until) throw error;
      }
      const pause = Promise.withResolvers<void>();
      setTimeout(pause.resolve, Math.min(ENGINE_ASKED_MS, engineBackMs));
      await pause.promise;
    }
  }
}

async function within(limitMs: number, work: Promise<void>): Promise<void> {
  const limit = Promise.withResolvers<void>();
  const timer = setTimeout(limit.resolve, limitMs);
  await Promise.race([work, limit.promise]);
  clearTimeout(timer);
}
