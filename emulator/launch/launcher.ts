/** Port: starts workers. Adapters: processes, containers, pods of a Kubernetes cluster, functions of this process. */
import type { Endpoint } from "../core/resources/endpoints/endpoint.ts";
import type { GpuDevice } from "../core/workers/gpu-allocation.ts";
import type { Template } from "../core/resources/templates/template.ts";
import type { LauncherKind } from "../core/workers/worker-life.ts";

/** The log of launchers. Fields are data for machines; the message is for people. */
export interface LaunchLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Everything that a launcher needs to start one worker. */
export interface WorkerOrder {
  readonly workerId: string;
  /** Secret by which the worker identifies itself. */
  readonly workerToken: string;
  readonly endpoint: Endpoint;
  readonly template: Template;
  /** The devices that no other worker has until this one has ended. Empty for an endpoint without GPUs. */
  readonly gpus: readonly GpuDevice[];
}

/** How a worker ended. */
export interface WorkerExit {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly outOfMemory: boolean;
  /** A sentence that says why the worker could not be started. */
  readonly startError: string | undefined;
  /** A sentence that names the worker's engine or node, if it went away and no other cause is known. */
  readonly goneWith?: string;
  /** True if the engine went away. The worker is not at fault: another one starts as soon as an engine is available. */
  readonly engineWentAway?: true;
  /** A sentence about the limit of its container that a failed program met, and the setting of that limit. */
  readonly limit?: string;
  /** The last lines that the worker wrote, oldest first. */
  readonly lastLogLines: readonly string[];
}

/** Address of the HTTP server of a load balancing endpoint's worker. */
export interface ServerAddress {
  /** IP address; absent for this machine. */
  readonly host?: string;
  readonly port: number;
  readonly healthPort: number;
  /** Encoded: the path can be sent as it is. */
  readonly healthPath: string;
}

/** Where a worker runs. Empty while that is unknown, and for a worker in this process. */
export interface WorkerPlace {
  readonly pid?: number | undefined;
  readonly container?: string | undefined;
  /** Pod name in the cluster. */
  readonly pod?: string | undefined;
}

/** What a worker waits for before its program runs. */
export interface LaunchObstacle {
  /** A sentence. */
  readonly reason: string;
  /** True if the worker is not at fault: there is no room for it now. */
  readonly isThrottled: boolean;
}

/** A worker that was started. It may still be initializing. */
export interface LaunchedWorker {
  readonly kind: LauncherKind;
  /**
   * Resolves when the program runs. The timeouts of its first word and of its initialization begin then. Never settles if the
   * program does not start. Absent where the program runs at once, and no image has to be pulled before.
   */
  readonly running?: Promise<void>;
  /** Resolves when the worker and all its processes have ended. Never rejects. */
  readonly exited: Promise<WorkerExit>;
  /** Address of the HTTP server of a load balancing endpoint's worker. Never settles if the server could not be started. */
  readonly server?: Promise<ServerAddress>;
  /** True if the program loads a new version of its handler when its session tells it to. */
  readonly reloads?: boolean;
  /** True if the program may say nothing before it can take jobs. Its first word then has the timeout of initialization. */
  readonly speaksLate?: boolean;
  /** Asks the worker to finish its jobs and leave. A server gets SIGTERM when it has answered all requests. */
  drain(): void;
  /** Ends the worker and everything it started at once. */
  kill(): void;
  place?(): WorkerPlace;
  /** The obstacle that keeps the program from running. Undefined if none is known. */
  obstacle?(): LaunchObstacle | undefined;
  /**
   * Stops the worker and everything that it started, as if their machine stood still, or lets them continue. A frozen worker can
   * be killed. Absent where workers cannot be frozen.
   *
   * @throws Error with a sentence where the worker does not run, or the system refuses
   */
  freeze?(isFrozen: boolean): Promise<void>;
  /** Resident memory of the worker's processes. Undefined if it is unknown. Fast enough for every sample. */
  memoryBytes?(): number | undefined;
}

/** A worker that another process of the service has started, perhaps before this one, and that this process does not run. */
export interface FoundWorker {
  readonly workerId: string;
  readonly endpointId: string;
  readonly endpointVersion: number;
  /** Digest of the token by which the worker identifies itself. */
  readonly tokenDigest: string;
  /** The worker was asked to leave. */
  readonly isLeaving: boolean;
}

/** Workers that continue when the process that has started them is killed. */
export interface OutlivingWorkers {
  /** A sentence that says why these workers are not known yet. */
  readonly problem: string | undefined;
  found(): readonly FoundWorker[];
  /** Takes over a worker that was found, as if it had been launched here. */
  adopt(order: Omit<WorkerOrder, "workerToken">): LaunchedWorker;
}

export interface Launcher {
  /** Absent if all workers end with this process. */
  readonly outliving?: OutlivingWorkers;
  /** True if it runs images, and not what this machine serves itself: handler files, commands, functions. */
  readonly runsImages?: boolean;
  /** True if a worker sees only the GPUs that it is given: for an endpoint with GPUs they must be known. */
  readonly needsKnownGpus?: boolean;
  /** True if the cluster assigns GPUs to workers: no GPU of this machine is reserved for them. */
  readonly assignsGpus?: boolean;
  /** Undefined if this launcher can run workers of the template, else a sentence that says why not. */
  refuses(template: Template): string | undefined;
  /** Starts a worker. Never throws: a failure is an exit with `startError`. */
  launch(order: WorkerOrder): LaunchedWorker;
  /** Ends all workers and waits until they have ended. Idempotent. */
  close(): Promise<void>;
}
