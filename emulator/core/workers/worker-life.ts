/** The phases of a worker's life, the state that is shown of each, and the moments that are recorded with it. */

/**
 * - `preparing`: its process or container is being made
 * - `starting`: its program runs, its handler is not loaded yet; of a server: it is not healthy yet, or initializes again
 * - `ready`: takes jobs or requests
 * - `unresponsive`: was ready and let a lease run out; is handed no job until it sends a message
 * - `unhealthy`: a server out of rotation, perhaps for a time
 * - `init-failed`: reported that its handler cannot be loaded, and should exit by itself
 * - `retiring`: takes no more jobs; is told to leave once it holds none
 * - `draining`: was told to leave, or reported that it leaves
 * - `lost`: its jobs were put back into the queue, and it is being killed
 * - `failed`: has exited without being asked to; still counted as unhealthy for a while
 * - `gone`: has exited or left, and is not counted any more
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

/** What is shown of a worker in `/health`, in events and in the log. */
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
 * What workers run in; `server` is a process as well: that of a load balancing endpoint; `pod`: a pod of a Kubernetes cluster;
 * `function`: the service's own process.
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
 * How a worker ended: `left` as it was told to; `not_initialized`: its handler could not be loaded, or it never became ready;
 * `unasked`: it exited by itself; `lost`: it sent no message for too long.
 */
export const WORKER_ENDS = ["left", "not_initialized", "lost", "unasked"] as const;
export type WorkerEnd = (typeof WORKER_ENDS)[number];

export interface WorkerLife {
  readonly phase: WorkerPhase;
  /** When its program began (real time); undefined before. */
  readonly beganAt: number | undefined;
  /** When it was last found ready (service time); undefined if it never was. */
  readonly readyAt: number | undefined;
  /** When it was told to leave, or reported that it leaves (real time); undefined before. */
  readonly drainingSince: number | undefined;
  /** Undefined until its process has exited. */
  readonly end: WorkerEnd | undefined;
}

/**
 * A new life, by the rows `none` of the table: of an external worker, or of one that the service starts.
 *
 * @param beganAt when the program of an external worker began (real time); undefined for one that the service starts
 */
export function newLife(beganAt: number | undefined): WorkerLife {
  const phase = beganAt === undefined ? "preparing" : "starting";
  return { phase, beganAt, readyAt: undefined, drainingSince: undefined, end: undefined };
}
