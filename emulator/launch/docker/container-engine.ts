/** Port: the operations of a container engine that the Docker launcher needs. Adapter: `dockerode-engine.ts`. */
import type { ContainerCreateOptions } from "dockerode";
import type { RegistryCredentials } from "../../core/resources/registry-auths/registry-auth.ts";

/**
 * The state of the engine that a failure indicates. `lost`: no connection can be made. `doubtful`: the answer took too long or
 * broke off, and the engine may be gone. `kept`: only this request has failed, because the engine refused it or it could not be
 * sent.
 */
export type EngineContactState = "kept" | "doubtful" | "lost";

/** The engine refused an operation, or did not answer, or could not be asked. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  /** HTTP status of the answer. Undefined without an answer. */
  readonly status: number | undefined;
  readonly contact: EngineContactState;

  /** @param message the engine's own message, or a sentence that says why it did not answer */
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

export type EngineThing = "container" | "network" | "volume";

export interface Listed {
  /** Id of a container or a network, name of a volume. */
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
  /** ms since the epoch. */
  readonly createdAt: number;
}

/** How a container's program ended. */
export interface ContainerEnd {
  readonly exitCode: number;
  /** True if the container ran out of memory at any time. */
  readonly oomKilled: boolean;
}

/** "end": the program may have ended. "out of memory": may arrive after the end. EngineError: no more news follows. */
export type ContainerNews = "end" | "out of memory" | EngineError;

export interface NewNetwork {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string>>;
}

export interface FoundNetwork {
  /** The address of this machine for containers of the network. Undefined if it is unknown. */
  readonly gateway: string | undefined;
  readonly options: Readonly<Record<string, string>>;
}

/** An engine's description of itself. */
export interface EngineFacts {
  /** Name and version of an engine that is not Docker's own. */
  readonly foreignName: string | undefined;
  /** Kernel release of the containers. */
  readonly kernel: string | undefined;
  /** True for a rootless engine: it has its user's rights, and its containers' networks are in a separate namespace. */
  readonly isRootless: boolean;
  /** Its platform, for example `linux/amd64`. */
  readonly platform: string | undefined;
}

export interface FoundImage {
  /** For example `linux/arm64/v8`. */
  readonly platform: string | undefined;
}

export interface WantedImage {
  readonly name: string;
  readonly credentials: RegistryCredentials | undefined;
  /** Undefined for the engine's own. */
  readonly platform: string | undefined;
}

/** All operations throw an {@link EngineError} if they fail or time out. */
export interface ContainerEngine {
  /** Resolves when the engine answers. */
  greet(): Promise<void>;
  describe(): Promise<EngineFacts>;
  findImage(name: string): Promise<FoundImage | undefined>;
  /** Yields the engine's messages, including errors, until the image is pulled. `signal` ends the pull. */
  pull(image: WantedImage, signal: AbortSignal): AsyncIterable<unknown>;
  create(options: ContainerCreateOptions): Promise<EngineContainer>;
  /** All containers, running or not, networks or volumes with the label. */
  list(kind: EngineThing, label: string): Promise<readonly Listed[]>;
  /**
   * Removes a container, running or not, with its anonymous volumes; or a network by id or name; or a volume. Does nothing if
   * it is missing.
   */
  remove(kind: EngineThing, id: string): Promise<void>;
  findNetwork(name: string): Promise<FoundNetwork | undefined>;
  /** Makes a bridge network. */
  createNetwork(network: NewNetwork): Promise<void>;
}

export interface EngineContainer {
  readonly id: string;
  /** Whether the container has a file at the path, which may be in a mount. Works before the start too. */
  has(path: string): Promise<boolean>;
  /**
   * Connects to the output. Call it before `start`, and again if `ended` settles while the container runs. `ended` settles when
   * no more output will come, and never rejects. The container's standard input stays open until this process ends.
   */
  attach(written: (bytes: Buffer) => void): Promise<{ readonly ended: Promise<void> }>;
  start(): Promise<void>;
  /** Published ports on this machine's loopback address, by the running container's own ports (`80/tcp`). */
  ports(): Promise<ReadonlyMap<string, number>>;
  /** How the started program ended. Undefined while it runs. @throws EngineError with status 404 when the container is gone */
  ended(): Promise<ContainerEnd | undefined>;
  /** Once resolved, `heard` is called with the engine's news of the container until `signal` is aborted. */
  listen(heard: (news: ContainerNews) => void, signal: AbortSignal): Promise<void>;
  /**
   * Stops all processes of the container, or lets them continue. @throws EngineError if the container does not run, or is in
   * that state already
   */
  pause(isPaused: boolean): Promise<void>;
  /** Sends a signal. A container that has ended is not an error. */
  signal(name: "SIGTERM" | "SIGKILL"): Promise<void>;
}
