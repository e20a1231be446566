/** Port: starts workers. Adapters: processes, containers, pods of a Kubernetes cluster, this process. */
import type { Endpoint } from "../core/resources/endpoint.ts";
import type { GpuDevice } from "../core/workers/gpu-allocation.ts";
import type { Template } from "../core/resources/template.ts";
import type { LauncherKind } from "../core/workers/worker-life.ts";

/** The log of launchers. Fields are data for machines; the message is for people. */
export interface LaunchLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Everything a launcher needs to know to start one worker. */
export interface WorkerOrder {
  readonly workerId: string;
  /** Secret by which the worker shows who it is. */
  readonly workerToken: string;
  readonly endpoint: Endpoint;
  readonly template: Template;
  /** The devices that are this worker's alone until it has ended; none for an endpoint without GPUs. */
  readonly gpus: readonly GpuDevice[];
}

/** How a worker ended. */
export interface WorkerExit {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly outOfMemory: boolean;
  /** Set when the worker could not even be started; a sentence that says why. */
  readonly startError: string | undefined;
  /** Set when what it ran in went away, so that nobody knows more of its end; a sentence that says what is gone. */
  readonly goneWith?: string;
  /** True where that is the engine that it ran on: nothing is wrong with itself, and another can be started as soon as one is willing. */
  readonly engineWentAway?: true;
  /** The last lines it wrote, oldest first. */
  readonly lastLogLines: readonly string[];
}

/** Where the HTTP server that a worker of a load balancing endpoint is listens. */
export interface ServerAddress {
  /** Its IP address; absent for this machine. */
  readonly host?: string;
  readonly port: number;
  readonly healthPort: number;
  /** A path that can be sent as it is. */
  readonly healthPath: string;
}

/** Where a worker is found; nothing while it is not known, and for one that runs in this process. */
export interface WorkerPlace {
  readonly pid?: number | undefined;
  /** Id of its container. */
  readonly container?: string | undefined;
  /** Name of its pod in the cluster. */
  readonly pod?: string | undefined;
}

/** What a worker whose program does not run yet is waiting for. */
export interface LaunchObstacle {
  /** A sentence. */
  readonly reason: string;
  /** Nothing is wrong with it: there is no room for it now. */
  readonly isThrottled: boolean;
}

/** A worker that was started; it may still be initializing. */
export interface LaunchedWorker {
  readonly kind: LauncherKind;
  /**
   * Resolves when its program runs, where that takes its time: an image is pulled first. The time it has to speak and to
   * become ready begins then. Stays open where it comes to nothing; absent where the program runs at once.
   */
  readonly running?: Promise<void>;
  /** Settles once, when the worker and all its processes are gone. Never rejects. */
  readonly exited: Promise<WorkerExit>;
  /** Where its server is to answer; a worker of a load balancing endpoint has one. Never settles if it could not be started. */
  readonly server?: Promise<ServerAddress>;
  /** True where its program loads a new version of its handler when it is told to over its session. */
  readonly reloads?: boolean;
  /** True where its program may say nothing before it can take jobs: it has as long for its first word as for that. */
  readonly speaksLate?: boolean;
  /** Asks the worker to finish its jobs and leave; of a server, by SIGTERM, when it has answered all requests. */
  drain(): void;
  /** Ends the worker and everything it started at once. */
  kill(): void;
  place?(): WorkerPlace;
  /** What keeps its program from running, and may pass; undefined where nothing is known to. */
  obstacle?(): LaunchObstacle | undefined;
  /**
   * Stops the worker and everything it started where they are, as if their machine stood still, or lets them go on. Absent where
   * that cannot be done. A frozen worker can be killed.
   *
   * @throws Error with a sentence where nothing of it runs, or it could not be done
   */
  freeze?(isFrozen: boolean): Promise<void>;
  /** How much memory its processes have resident; undefined where that cannot be told. Takes no time worth mentioning. */
  memoryBytes?(): number | undefined;
}

/** A worker that another process of the service has started, perhaps before this one, and that nobody here looks after. */
export interface FoundWorker {
  readonly workerId: string;
  readonly endpointId: string;
  /** The version of the endpoint that it was started for. */
  readonly endpointVersion: number;
  /** Of the token by which it shows who it is. */
  readonly tokenDigest: string;
  /** It was told to leave. */
  readonly isLeaving: boolean;
}

/** Workers that go on when the process that has started them is killed. */
export interface OutlivingWorkers {
  /** Why it is not known yet which there are; a sentence. */
  readonly problem: string | undefined;
  found(): readonly FoundWorker[];
  /** Looks after a worker that was found, as if it had been launched here. */
  adopt(order: Omit<WorkerOrder, "workerToken">): LaunchedWorker;
}

export interface Launcher {
  /** Absent where all workers end with the process that has started them. */
  readonly outliving?: OutlivingWorkers;
  /** True where a worker has only the GPUs it is given: an endpoint with GPUs cannot do with unknown ones. */
  readonly needsKnownGpus?: boolean;
  /** True where what runs its workers also assigns them their GPUs: none of this machine's are taken for them. */
  readonly assignsGpus?: boolean;
  /** Undefined when this launcher can run workers of the template, else a sentence that says why not. */
  refuses(template: Template): string | undefined;
  /** Starts a worker. Never throws: a failure to start is an exit with `startError`. */
  launch(order: WorkerOrder): LaunchedWorker;
  /** Ends all workers it started and waits until they are gone. Idempotent. */
  close(): Promise<void>;
}
