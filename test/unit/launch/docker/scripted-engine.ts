/** A container engine that a test plays: it says what each operation comes to, and what was asked of it. */
import type { ContainerCreateOptions } from "dockerode";
import {
  type ContainerEnd,
  type ContainerEngine,
  EngineError,
  type EngineContainer,
  type ListedContainer,
  type ListedVolume,
} from "../../../../emulator/launch/docker/container-engine.ts";

export const GONE = new EngineError("the engine is gone", undefined);

export class ScriptedContainer implements EngineContainer {
  readonly id: string;
  readonly options: ContainerCreateOptions;
  readonly signals: string[] = [];
  readonly #ended = Promise.withResolvers<ContainerEnd>();
  #written: (bytes: Buffer) => void = () => undefined;
  startError: Error | undefined;
  isRemoved = false;

  constructor(id: string, options: ContainerCreateOptions) {
    this.id = id;
    this.options = options;
  }

  async attach(written: (bytes: Buffer) => void) {
    this.#written = written;
    return { ended: Promise.resolve() };
  }

  async start(): Promise<void> {
    if (this.startError) throw this.startError;
  }

  async ports(): Promise<ReadonlyMap<string, number>> {
    return new Map([["80/tcp", 4_001]]);
  }

  async end(): Promise<ContainerEnd> {
    return this.#ended.promise;
  }

  async signal(name: "SIGTERM" | "SIGKILL"): Promise<void> {
    this.signals.push(name);
    if (name === "SIGKILL") this.exits(137);
  }

  writes(text: string): void {
    this.#written(Buffer.from(text));
  }

  exits(exitCode: number, oomKilled = false): void {
    this.#ended.resolve({ exitCode, oomKilled });
  }

  fails(error: Error): void {
    this.#ended.reject(error);
  }
}

export class ScriptedEngine implements ContainerEngine {
  readonly containers: ScriptedContainer[] = [];
  readonly removed: string[] = [];
  readonly pulled: string[] = [];
  listed: readonly ListedContainer[] = [];
  volumes: readonly ListedVolume[] = [];
  /** What operations throw from now on. */
  problem: Error | undefined;
  createError: Error | undefined;
  startError: Error | undefined;
  hasImages = true;
  /** What a pull says; it goes on for ever if that never ends. */
  messages: () => AsyncIterable<unknown> = async function* none() {};

  async greet(): Promise<void> {
    this.#answer();
  }

  async hasImage(): Promise<boolean> {
    this.#answer();
    return this.hasImages;
  }

  pull(name: string, _: unknown, signal: AbortSignal): AsyncIterable<unknown> {
    this.pulled.push(name);
    return untilAborted(this.messages(), signal);
  }

  async create(options: ContainerCreateOptions): Promise<EngineContainer> {
    this.#answer();
    const error = this.createError;
    this.createError = undefined;
    if (error) throw error;
    const container = new ScriptedContainer(`c${this.containers.length}`, options);
    container.startError = this.startError;
    this.containers.push(container);
    return container;
  }

  async list(): Promise<readonly ListedContainer[]> {
    this.#answer();
    return this.listed;
  }

  async remove(id: string): Promise<void> {
    this.#answer();
    this.removed.push(id);
  }

  async listVolumes(): Promise<readonly ListedVolume[]> {
    this.#answer();
    return this.volumes;
  }

  async removeVolume(name: string): Promise<void> {
    this.#answer();
    this.removed.push(name);
  }

  async gatewayAddress(): Promise<string | undefined> {
    return "172.17.0.1";
  }

  /** The container made at `position`, from 0. */
  at(position: number): ScriptedContainer {
    const container = this.containers[position];
    if (container === undefined) throw new Error(`only ${this.containers.length} were made`);
    return container;
  }

  #answer(): void {
    if (this.problem) throw this.problem;
  }
}

async function* untilAborted(
  messages: AsyncIterable<unknown>,
  signal: AbortSignal,
): AsyncIterable<unknown> {
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => undefined);
  signal.addEventListener("abort", () => aborted.reject(signal.reason), { once: true });
  const iterator = messages[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await Promise.race([iterator.next(), aborted.promise]);
    if (done === true) return;
    yield value;
  }
}
