/** Phases of a worker's life, the state shown for each, and the recorded moments. */

/**
 * - `preparing`: its process or container is being made
 * - `starting`: its program runs, but its handler is not loaded; a server is not healthy yet, or initializes again
 * - `ready`: takes jobs or requests
 * - `unresponsive`: was ready and let a lease run out; gets no job until it sends a message
 * - `unhealthy`: a server out of rotation, perhaps for a time
 * - `init-failed`: reported that its handler cannot be loaded, and should exit by itself
 * - `retiring`: takes no more jobs; is told to leave once it holds none
 * - `draining`: was told to leave, or reported that it leaves
 * - `lost`: its jobs are back in the queue, and it is being killed
 * - `failed`: has exited without an order; still counts as unhealthy for a while
 * - `gone`: has exited or left, and does not count any more
 */
export type WorkerPhase =
  | "preparing"
  | "starting"
  | "ready"
  | "unresponsive"
  | "unhealthy"
  | "init-failed"
  | "retiring"
  | "draining"
  | "lost"
  | "failed"
  | "gone";

/** State of a worker in `/health`, in events and in the log. */
export const WORKER_STATES = [
  "initializing",
  "ready",
  "draining",
  "unhealthy",
  "lost",
  "ended",
] as const;
export type WorkerState = (typeof WORKER_STATES)[number];

/**
 * Where workers run. `server`: a process of a load balancing endpoint; `pod`: a pod of a Kubernetes cluster; `function`: the
 * service's own process.
 */
export const LAUNCHER_KINDS = [
  "process",
  "command",
  "server",
  "container",
  "pod",
  "function",
] as const;
export type LauncherKind = (typeof LAUNCHER_KINDS)[number];

export const SHOWN_STATES = {
  preparing: "initializing",
  starting: "initializing",
  ready: "ready",
  unresponsive: "ready",
  unhealthy: "unhealthy",
  "init-failed": "unhealthy",
  retiring: "draining",
  draining: "draining",
  lost: "lost",
  failed: "unhealthy",
  gone: "ended",
} as const satisfies Record<WorkerPhase, WorkerState>;

/**
 * End of a worker. `left`: left on request; `not_initialized`: its handler could not be loaded, or it never became ready;
 * `unasked`: exited by itself; `lost`: sent no message for too long.
 */
export const WORKER_ENDS = ["left", "not_initialized", "lost", "unasked"] as const;
export type WorkerEnd = (typeof WORKER_ENDS)[number];

export interface WorkerLife {
  readonly phase: WorkerPhase;
  /** Start of its program (real time); undefined before. */
  readonly beganAt: number | undefined;
  /** Time at which it was last ready (service time); undefined if it never was. */
  readonly readyAt: number | undefined;
  /** Time at which it was told to leave or reported that it leaves (real time); undefined before. */
  readonly drainingSince: number | undefined;
  /** Undefined until its process has exited. */
  readonly end: WorkerEnd | undefined;
}

/**
 * A new life, by the rows `none` of the table: of an external worker, or of one that the service starts.
 * @param beganAt start of an external worker's program (real time); undefined for a worker that the service starts
 */
export function newLife(beganAt: number | undefined): WorkerLife {
  const phase = beganAt === undefined ? "preparing" : "starting";
  return { phase, beganAt, readyAt: undefined, drainingSince: undefined, end: undefined };
}
