/** A scripted container engine: a test sets the result of each operation, and reads the calls. */
import os from "node:os";
import type { ContainerCreateOptions } from "dockerode";
import {
  type ContainerEnd,
  type ContainerNews,
  type ContainerEngine,
  EngineError,
  type EngineContainer,
  type EngineFacts,
  type EngineThing,
  type FoundImage,
  type FoundNetwork,
  type Listed,
  type NewNetwork,
  type WantedImage,
} from "../../../../emulator/launch/docker/container-engine.ts";

export const GONE = new EngineError("the engine is gone", undefined, { contact: "lost" });

/** Gateway of its network: an address of this machine, as for an engine on it. */
export const GATEWAY = "127.0.0.18";

const PROBE = "probe";

export class ScriptedContainer implements EngineContainer {
  readonly id: string;
  readonly options: ContainerCreateOptions;
  readonly signals: string[] = [];
  #end: ContainerEnd | undefined;
  #heard: ((news: ContainerNews) => void) | undefined;
  #written: (bytes: Buffer) => void = () => undefined;
  #silent = Promise.withResolvers<void>();
  /** Error of all later calls about it. */
  problem: EngineError | undefined;
  startError: Error | undefined;
  /** Whether an event reports its end. */
  isHeard = true;
  /** The paths of all `has` calls. */
  readonly asked: string[] = [];
  /** Whether it sees mounted files. */
  seesMounts = true;
  timesAttached = 0;
  timesLooked = 0;

  constructor(id: string, options: ContainerCreateOptions) {
    this.id = id;
    this.options = options;
  }

  async has(path: string): Promise<boolean> {
    this.asked.push(path);
    return this.seesMounts;
  }

  async attach(written: (bytes: Buffer) => void) {
    this.timesAttached += 1;
    this.#written = written;
    this.#silent = Promise.withResolvers();
    return { ended: this.#silent.promise };
  }

  async start(): Promise<void> {
    if (this.startError) throw this.startError;
  }

  async ports(): Promise<ReadonlyMap<string, number>> {
    return new Map([["80/tcp", 4_001]]);
  }

  async ended(): Promise<ContainerEnd | undefined> {
    this.timesLooked += 1;
    if (this.problem) throw this.problem;
    return this.#end;
  }

  async listen(heard: (news: ContainerNews) => void): Promise<void> {
    if (this.problem) throw this.problem;
    this.#heard = heard;
  }

  async pause(isPaused: boolean): Promise<void> {
    if (this.problem) throw this.problem;
    this.signals.push(isPaused ? "pause" : "unpause");
  }

  async signal(name: "SIGTERM" | "SIGKILL"): Promise<void> {
    if (this.problem) throw this.problem;
    this.signals.push(name);
    if (name === "SIGKILL") this.exits(137);
  }

  writes(text: string): void {
    this.#written(Buffer.from(text));
  }

  exits(exitCode: number, oomKilled = false): void {
    this.endsUnheard(exitCode, oomKilled);
    if (this.isHeard) this.#heard?.("end");
  }

  /** Sends an event, which may come after the end. */
  runsOutOfMemory(): void {
    this.#heard?.("out of memory");
  }

  /** Ends it without an event. */
  endsUnheard(exitCode: number, oomKilled = false): void {
    this.#end = { exitCode, oomKilled };
    this.#silent.resolve();
  }

  /** Ends all streams of the engine, which throws this error from now on. */
  fails(error: EngineError): void {
    this.problem = error;
    this.#silent.resolve();
    this.#heard?.(error);
  }
}

export class ScriptedEngine implements ContainerEngine {
  readonly containers: ScriptedContainer[] = [];
  readonly removed: string[] = [];
  readonly pulled: string[] = [];
  listed: readonly Listed[] = [];
  listedNetworks: readonly Listed[] = [];
  /** Networks by name, with the default one. */
  readonly networks = new Map<string, FoundNetwork>([
    ["bridge", { gateway: "127.0.0.17", options: { "com.docker.network.driver.mtu": "1400" } }],
  ]);
  networkError: EngineError | undefined;
  volumes: readonly Listed[] = [];
  /** Error of all later operations. */
  problem: Error | undefined;
  createError: Error | undefined;
  /** Name of an engine that is not Docker's own. */
  foreign: string | undefined;
  startError: Error | undefined;
  /** Kernel release. */
  kernel: string | undefined = os.release();
  isRootless = false;
  platform: string | undefined = "linux/arm64";
  /** Platform of all its images. */
  imagePlatform: string | undefined = "linux/arm64/v8";
  /** Whether containers see mounted files of this machine. */
  seesMounts = true;
  /** Options of all probe containers. */
  readonly probes: ContainerCreateOptions[] = [];
  probeError: Error | undefined;
  hasImages = true;
  /** True: the engine accepts calls and never answers. */
  isFrozen = false;
  /** The messages of a pull, which ends with them. */
  messages: () => AsyncIterable<unknown> = async function* none() {};

  async greet(): Promise<void> {
    if (this.isFrozen) await new Promise(() => undefined);
    this.#answer();
  }

  async describe(): Promise<EngineFacts> {
    const { foreign: foreignName, kernel, isRootless, platform } = this;
    return { foreignName, kernel, isRootless, platform };
  }

  async findImage(): Promise<FoundImage | undefined> {
    this.#answer();
    return this.hasImages ? { platform: this.imagePlatform } : undefined;
  }

  pull({ name, platform }: WantedImage, signal: AbortSignal): AsyncIterable<unknown> {
    this.pulled.push(name);
    this.imagePlatform = platform ?? this.imagePlatform;
    return untilAborted(this.messages(), signal);
  }

  async create(options: ContainerCreateOptions): Promise<EngineContainer> {
    this.#answer();
    if (options.Labels?.["sv.worker"] === "probe") return this.#probe(options);
    const error = this.createError;
    this.createError = undefined;
    if (error) throw error;
    const container = new ScriptedContainer(`c${this.containers.length}`, options);
    container.startError = this.startError;
    container.seesMounts = this.seesMounts;
    this.containers.push(container);
    return container;
  }

  async list(kind: EngineThing): Promise<readonly Listed[]> {
    this.#answer();
    return { container: this.listed, network: this.listedNetworks, volume: this.volumes }[kind];
  }

  async remove(_: EngineThing, id: string): Promise<void> {
    this.#answer();
    this.networks.delete(id);
    if (id !== PROBE) this.removed.push(id);
  }

  async findNetwork(name: string): Promise<FoundNetwork | undefined> {
    return this.networks.get(name);
  }

  async createNetwork({ name, options }: NewNetwork): Promise<void> {
    if (this.networkError) throw this.networkError;
    this.networks.set(name, { gateway: GATEWAY, options });
  }

  /** The container created at `position`, from 0. */
  at(position: number): ScriptedContainer {
    const container = this.containers[position];
    if (container === undefined) throw new Error(`only ${this.containers.length} were made`);
    return container;
  }

  async #probe(options: ContainerCreateOptions): Promise<EngineContainer> {
    this.probes.push(options);
    if (this.probeError) throw this.probeError;
    const container = new ScriptedContainer(PROBE, options);
    container.seesMounts = this.seesMounts;
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
