/** Port: what the Docker launcher asks of a container engine. The adapter is `dockerode-engine.ts`; tests have scripted ones. */
import type { ContainerCreateOptions } from "dockerode";
import type { RegistryCredentials } from "../../core/resources/registry-auth.ts";

/**
 * What a failure says of the engine itself. `lost`: it cannot be connected to. `doubtful`: it took too long, or ended its answer,
 * and may be gone. `kept`: nothing, for it answered, or the question could not be put; the failure is that of whoever asked.
 */
export type EngineContactState = "kept" | "doubtful" | "lost";

/** The engine refused something, or did not answer, or could not be asked. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  /** HTTP status of its answer; undefined where there was none. */
  readonly status: number | undefined;
  readonly contact: EngineContactState;

  /** @param message as the engine said it, or a sentence on why it gave no answer */
  constructor(
    message: string,
    status: number | undefined,
    { contact = "kept", ...options }: ErrorOptions & { contact?: EngineContactState } = {},
  ) {
    super(message, options);
    this.status = status;
    this.contact = contact;
  }
}

/** A container or a network as a list shows it. */
export interface Listed {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
  /** ms since the epoch. */
  readonly createdAt: number;
}

/** A volume as a list shows it. */
export interface ListedVolume {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** How a container's program ended. */
export interface ContainerEnd {
  readonly exitCode: number;
  /** Memory ran out in it at some time. */
  readonly oomKilled: boolean;
}

/** Its program may have ended, memory ran out in it, which may be told after its end, or the engine says no more. */
export type ContainerNews = "end" | "out of memory" | EngineError;

export interface NewNetwork {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string>>;
}

export interface FoundNetwork {
  /** This machine's address as containers on it see it; undefined where that cannot be told. */
  readonly gateway: string | undefined;
  readonly options: Readonly<Record<string, string>>;
}

/** What an engine says of itself, as far as it does. */
export interface EngineFacts {
  /** What it calls itself where it is not Docker's own. */
  readonly foreignName: string | undefined;
  /** The release of the kernel that its containers run on. */
  readonly kernel: string | undefined;
  /** It runs with no rights but its user's, and its containers' networks are in a namespace of its own. */
  readonly isRootless: boolean;
}

/** Every operation throws an {@link EngineError}, also where an answer takes too long. */
export interface ContainerEngine {
  /** Resolves when it answers. */
  greet(): Promise<void>;
  describe(): Promise<EngineFacts>;
  hasImage(name: string): Promise<boolean>;
  /** The engine's messages as they come, errors among them; ends when the image is there. Aborting it ends the pull. */
  pull(
    name: string,
    credentials: RegistryCredentials | undefined,
    signal: AbortSignal,
  ): AsyncIterable<unknown>;
  create(options: ContainerCreateOptions): Promise<EngineContainer>;
  /** All containers with the label, whatever its value, also those that do not run. */
  list(label: string): Promise<readonly Listed[]>;
  /** With its anonymous volumes, running or not. One that is gone already is no error. */
  remove(id: string): Promise<void>;
  /** All volumes with the label, whatever its value. */
  listVolumes(label: string): Promise<readonly ListedVolume[]>;
  /** One that is gone already is no error. */
  removeVolume(name: string): Promise<void>;
  /** The network of that name, or undefined. */
  findNetwork(name: string): Promise<FoundNetwork | undefined>;
  /** A bridge of this machine. */
  createNetwork(network: NewNetwork): Promise<void>;
  /** All networks with the label, whatever its value. */
  listNetworks(label: string): Promise<readonly Listed[]>;
  /** By name or id. One that is gone already is no error. */
  removeNetwork(name: string): Promise<void>;
}

export interface EngineContainer {
  readonly id: string;
  /** Whether there is anything at that path in it, on what is mounted as well; also before it is started. */
  has(path: string): Promise<boolean>;
  /**
   * To be called before `start`, and again when its answer has settled while the container runs. The container's standard input is
   * open until this process ends. The answer settles when nothing more will be heard, and never rejects.
   */
  attach(written: (bytes: Buffer) => void): Promise<{ readonly ended: Promise<void> }>;
  start(): Promise<void>;
  /** The ports of this machine's loopback address that lead to ports of the running container (`80/tcp`), by these. */
  ports(): Promise<ReadonlyMap<string, number>>;
  /** How its program ended, once it was started; undefined as long as it runs. @throws EngineError with status 404 when the container is gone */
  ended(): Promise<ContainerEnd | undefined>;
  /** From when it resolves until `signal` is aborted, `heard` is called with what the engine tells of the container. */
  listen(heard: (news: ContainerNews) => void, signal: AbortSignal): Promise<void>;
  /** Stops all its processes where they are, or lets them go on. @throws EngineError where it does not run, or that is so already */
  pause(isPaused: boolean): Promise<void>;
  /** One that has ended already is no error. */
  signal(name: "SIGTERM" | "SIGKILL"): Promise<void>;
}
