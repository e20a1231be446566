/** Number of workers of an endpoint in each state. */
import type { WorkerState } from "./worker-life.ts";

export const COUNTED_STATES = ["initializing", "ready", "draining", "unhealthy", "lost"] as const;
export type CountedState = (typeof COUNTED_STATES)[number];
export type WorkersByState = Readonly<Record<CountedState, number>>;

export const NO_WORKERS: WorkersByState = {
  initializing: 0,
  ready: 0,
  draining: 0,
  unhealthy: 0,
  lost: 0,
};

/** Counts a change of one worker; undefined: it does not exist before, or after. */
export function movedState(
  states: WorkersByState,
  before: WorkerState | undefined,
  after: WorkerState | undefined,
): WorkersByState {
  return added(added(states, before, -1), after, 1);
}

function added(
  states: WorkersByState,
  state: WorkerState | undefined,
  count: number,
): WorkersByState {
  if (state === undefined || state === "ended") return states;
  return { ...states, [state]: states[state] + count };
}
