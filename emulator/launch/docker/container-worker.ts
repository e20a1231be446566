/** The life of one worker in a container: image, container, program, end, removal. */
import type { LaunchedWorker, ServerAddress, WorkerExit, WorkerOrder } from "../launcher.ts";
import { LineTail } from "../line-tail.ts";
import { serverWish } from "../server-wish.ts";
import { type ContainerEnd, type EngineContainer, EngineError } from "./container-engine.ts";
import { exitOf, goneWith, neverRan, notStarted } from "./container-exit.ts";
import { isServer, serverPorts } from "./container-options.ts";
import { startProblem } from "./engine-words.ts";

/** What is still on its way from a container that has ended comes within this time. */
const LAST_LINES_MS = 2_000;

/** An engine that went away has this long to come back and say how the container ended. */
const ENGINE_BACK_MS = 10_000;
const ENGINE_ASKED_MS = 500;

/** What a container worker needs of its launcher. */
export interface ContainerYard {
  /** Makes the container and whatever it needs before. @throws Error with a sentence; what `signal` was aborted with */
  readonly make: (order: WorkerOrder, signal: AbortSignal) => Promise<EngineContainer>;
  /** Removes the container, now or as soon as the engine answers. Never rejects. */
  readonly remove: (id: string) => Promise<void>;
  /** To be told what the engine's operations throw. */
  readonly failed: (error: unknown) => void;
  readonly line: (order: WorkerOrder, line: string) => void;
  /** Default: 10 s. */
  readonly engineBackMs?: number;
}

export class ContainerWorker implements LaunchedWorker {
  readonly exited: Promise<WorkerExit>;
  readonly #order: WorkerOrder;
  readonly #yard: ContainerYard;
  readonly #tail: LineTail;
  readonly #runs = Promise.withResolvers<void>();
  readonly #serves = Promise.withResolvers<ServerAddress>();
  readonly server?: Promise<ServerAddress>;
  /** Aborted when the worker is to go before its program runs. */
  readonly #calledOff = new AbortController();
  #container: EngineContainer | undefined;
  #signal: "SIGTERM" | "SIGKILL" | undefined;

  constructor(order: WorkerOrder, yard: ContainerYard) {
    this.#order = order;
    this.#yard = yard;
    this.#tail = new LineTail((line) => yard.line(order, line));
    if (isServer(order)) this.server = this.#serves.promise;
    this.exited = this.#live();
  }

  get running(): Promise<void> {
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
    try {
      made = await this.#yard.make(this.#order, this.#calledOff.signal);
      this.#calledOff.signal.throwIfAborted();
      output = await made.attach((bytes) => this.#tail.push(bytes));
      await made.start();
      if (this.server !== undefined) this.#serves.resolve(await addressOf(made, this.#order));
    } catch (error) {
      this.#yard.failed(error);
      if (made !== undefined) await this.#yard.remove(made.id);
      if (!this.#calledOff.signal.aborted) return notStarted(startProblem(error));
      return neverRan(this.#signal === "SIGKILL" ? "SIGKILL" : undefined);
    }
    this.#container = made;
    this.#runs.resolve();
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

/** @throws Error when the container has ended already */
async function addressOf(container: EngineContainer, order: WorkerOrder): Promise<ServerAddress> {
  const published = await container.ports();
  const [port = 0, healthPort = 0] = serverPorts(order).map((name) => published.get(name));
  if (port === 0)
    throw new Error("the container's server ended at once, or its port is not published");
  return { port, healthPort, healthPath: serverWish(order.template).healthPath };
}

async function within(limitMs: number, work: Promise<void>): Promise<void> {
  const limit = Promise.withResolvers<void>();
  const timer = setTimeout(limit.resolve, limitMs);
  await Promise.race([work, limit.promise]);
  clearTimeout(timer);
}
