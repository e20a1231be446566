/** The life of one container: image, container, program, end, removal. */
import type { Clock } from "../../../core/time/clock.ts";
import type { WorkerExit } from "../../launcher.ts";
import { LineTail } from "../../processes/line-tail.ts";
import { type EngineContainer, EngineError } from "../container-engine.ts";
import { notStarted } from "../../worker-exit.ts";
import { exitOf, goneWith, goneWithEngine, neverRan } from "./container-exit.ts";
import { ContainerWatch } from "./container-watch.ts";
import { startProblem } from "../docker-errors.ts";
import { within } from "../../../core/time/pause.ts";

/** What is still on its way from a container that has ended comes within this time. */
const LAST_LINES_MS = 2_000;

/** What all containers need of their launcher. */
export interface ContainerHost {
  readonly clock: Clock;
  /** Removes the container, now or as soon as the engine answers. Never rejects. */
  readonly remove: (id: string) => Promise<void>;
  /** To be told what the engine's operations throw. */
  readonly failed: (error: unknown) => void;
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
  readonly #host: ContainerHost;
  readonly #tail: LineTail;
  readonly #runs = Promise.withResolvers<Place>();
  /** Aborted when it is to go before its program runs. */
  readonly #calledOff = new AbortController();
  readonly #abandoned = Promise.withResolvers<WorkerExit>();
  #container: EngineContainer | undefined;
  #watch: ContainerWatch | undefined;
  /** Settles when nothing more will be heard of what it writes; undefined while it is not listened to. */
  #output: Promise<void> | undefined;
  #signal: "SIGTERM" | "SIGKILL" | undefined;
  /** One that has yet to reach the container. */
  #unsent: "SIGTERM" | "SIGKILL" | undefined;

  constructor(role: ContainerRole<Place>, host: ContainerHost) {
    this.#role = role;
    this.#host = host;
    this.#tail = new LineTail(role.line);
    this.exited = Promise.race([this.#live(), this.#abandoned.promise]);
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

  /** @throws Error with a sentence where its program does not run, or the engine refuses */
  async freeze(isFrozen: boolean): Promise<void> {
    if (this.#container === undefined) throw new Error("its container does not run yet");
    try {
      await this.#container.pause(isFrozen);
    } catch (error) {
      this.#host.failed(error);
      throw new Error(startProblem(error), { cause: error });
    }
  }

  /** Id of its container, once its program runs. */
  get containerId(): string | undefined {
    return this.#container?.id;
  }

  /** Its engine is not waited for any longer: it counts as ended, whatever becomes of it. */
  abandon(reason: string): void {
    this.#calledOff.abort();
    this.#abandoned.resolve(goneWithEngine(`: ${reason}`, this.#tail.end()));
  }

  #send(signal: "SIGTERM" | "SIGKILL"): void {
    this.#signal = signal;
    this.#unsent = signal;
    this.#calledOff.abort();
    if (this.#container === undefined) return;
    const sent = this.#passOn(this.#container).catch((error: unknown) => this.#host.failed(error));
    if (signal === "SIGKILL") void sent.then(() => this.#watch?.look());
  }

  /** A signal that does not arrive, because the engine is away, is passed on when the container is next seen to run. */
  async #passOn(container: EngineContainer): Promise<void> {
    const signal = this.#unsent;
    if (signal === undefined) return;
    this.#unsent = undefined;
    try {
      await container.signal(signal);
    } catch (error) {
      this.#unsent ??= signal;
      throw error;
    }
  }

  async #live(): Promise<WorkerExit> {
    let made: EngineContainer | undefined;
    let place;
    try {
      made = await this.#role.make(this.#calledOff.signal);
      this.#calledOff.signal.throwIfAborted();
      await this.#listenTo(made);
      await made.start();
      place = await this.#role.placeOf(made);
    } catch (error) {
      this.#host.failed(error);
      if (made !== undefined) await this.#host.remove(made.id);
      if (!this.#calledOff.signal.aborted) return notStarted(startProblem(error));
      return neverRan(this.#signal === "SIGKILL" ? "SIGKILL" : undefined);
    }
    this.#container = made;
    this.#watch = this.#watchOver(made);
    this.#runs.resolve(place);
    if (this.#signal !== undefined) this.#send(this.#signal);
    const exit = await this.#end(this.#watch);
    await this.#host.remove(made.id);
    return exit;
  }

  async #listenTo(container: EngineContainer): Promise<void> {
    if (this.#output !== undefined) return;
    const { ended } = await container.attach((bytes) => this.#tail.push(bytes));
    this.#output = ended;
    void ended.then(() => (this.#output = undefined));
  }

  #watchOver(container: EngineContainer): ContainerWatch {
    const { clock, failed } = this.#host;
    // To an engine that was started anew it has to be said again.
    const runs = async () => {
      await this.#listenTo(container);
      await this.#passOn(container);
    };
    const isKilled = () => this.#signal === "SIGKILL";
    return new ContainerWatch(container, { clock, failed, runs, isKilled });
  }

  async #end(watch: ContainerWatch): Promise<WorkerExit> {
    try {
      const { wasAway, ...end } = await watch.end();
      await within(this.#host.clock, LAST_LINES_MS, this.#output ?? Promise.resolve());
      const lines = this.#tail.end();
      if (wasAway) return goneWithEngine(", which was away when it ended", lines);
      return exitOf(end, lines);
    } catch (error) {
      const lines = this.#tail.end();
      if (error instanceof EngineError && error.status === 404)
        return goneWith("its container, which somebody removed", lines);
      return goneWithEngine(`: ${startProblem(error)}`, lines);
    }
  }
}
