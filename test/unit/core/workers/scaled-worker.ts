/** A worker of the scaler's small world, and the jobs it holds. */
import type { ScalableWorker } from "../../../../emulator/core/workers/scaler.ts";

export interface Job {
  readonly runMs: number;
  readonly low: boolean;
  queuedAt: number;
}

export interface Worker extends ScalableWorker {
  state: ScalableWorker["state"];
  hasProcess: boolean;
  heldCount: number;
  idleSince: number;
  readonly held: Set<Job>;
  readonly startedAt: number;
  readyAt: number | undefined;
  hasFinishedJob: boolean;
  isLeaving: boolean;
}

export function newWorker(id: string, endpointVersion: number, now: number): Worker {
  return {
    id,
    state: "initializing",
    hasProcess: true,
    held: new Set(),
    heldCount: 0,
    idleSince: now,
    startedAt: now,
    endpointVersion,
    readyAt: undefined,
    hasFinishedJob: false,
    isLeaving: false,
  };
}
