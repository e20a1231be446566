/** Where a worker is in its life: the phases of its state machine, what is shown of each, and what is remembered beside it. */

/**
 * - `preparing`: what it runs in is still being made
 * - `starting`: its program runs, its handler is not loaded yet; of a server: it is not healthy yet, or says that it starts again
 * - `ready`: takes jobs or requests
 * - `silent`: was ready and let a lease run out; is handed nothing until it says something
 * - `sick`: a server out of rotation, perhaps for a time
 * - `unfit`: says that its handler cannot be loaded, and should end by itself
 * - `finishing`: is to leave and does not know it yet: it is told once it holds nothing
 * - `leaving`: knows that it has to leave
 * - `lost`: given up; its jobs went back, and it is being ended
 * - `failed`: has ended although it was not to; still counted for a while
 * - `gone`: has ended or left, and is counted no more
 */
export type WorkerPhase =
  | "preparing"
  | "starting"
  | "ready"
  | "silent"
  | "sick"
  | "unfit"
  | "finishing"
  | "leaving"
  | "lost"
  | "failed"
  | "gone";

/** What is shown of a worker in `/health`, in events and in the log. */
export type WorkerState = "initializing" | "ready" | "draining" | "unhealthy" | "lost" | "ended";

export const SHOWN_STATES = {
  preparing: "initializing",
  starting: "initializing",
  ready: "ready",
  silent: "ready",
  sick: "unhealthy",
  unfit: "unhealthy",
  finishing: "draining",
  leaving: "draining",
  lost: "lost",
  failed: "unhealthy",
  gone: "ended",
} as const satisfies Record<WorkerPhase, WorkerState>;

/**
 * How a worker came to its end: it `left` when it was to; it was `not_initialized` when its handler could not be loaded or it
 * never became ready; it ended `unasked`; it was `lost` when it was silent for too long.
 */
export type WorkerEnd = "left" | "not_initialized" | "lost" | "unasked";

export interface WorkerLife {
  readonly phase: WorkerPhase;
  /** When its program began (real time); undefined while it does not run yet. */
  readonly beganAt: number | undefined;
  /** When it was last found ready (service time); undefined if it never was. */
  readonly readyAt: number | undefined;
  /** Since when it has known that it has to leave (real time); undefined while it does not. */
  readonly leavingSince: number | undefined;
  /** Undefined until its process has ended. */
  readonly end: WorkerEnd | undefined;
}

/**
 * The life of a worker that the service starts, or of one that came by itself: rows `none` of the table.
 *
 * @param beganAt when its program began (real time); undefined where it has to be started first
 */
export function newLife(beganAt: number | undefined): WorkerLife {
  const phase = beganAt === undefined ? "preparing" : "starting";
  return { phase, beganAt, readyAt: undefined, leavingSince: undefined, end: undefined };
}
