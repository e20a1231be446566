/** The states of a job and the ways between them, from the table of transitions. */
import { TRANSITION_ROWS } from "../../../core/jobs/transition-table.ts";
import type { JobStatus } from "../../../../runtime/protocol/job-status.ts";

export interface Way {
  readonly from: JobStatus;
  readonly to: JobStatus;
  /** The events that lead there. */
  readonly events: readonly string[];
}

/** All ways but the deletion, which is no state. */
export const WAYS: readonly Way[] = waysIn();

/** Where each state stands, on a grid of 620 by 170. */
export const PLACES: Readonly<Record<JobStatus, { readonly x: number; readonly y: number }>> = {
  IN_QUEUE: { x: 70, y: 85 },
  IN_PROGRESS: { x: 270, y: 85 },
  COMPLETED: { x: 530, y: 22 },
  FAILED: { x: 530, y: 64 },
  TIMED_OUT: { x: 530, y: 106 },
  CANCELLED: { x: 530, y: 148 },
};

function waysIn(): readonly Way[] {
  const ways = new Map<string, { from: JobStatus; to: JobStatus; events: string[] }>();
  for (const { from, to, event } of TRANSITION_ROWS) {
    if (from === "none" || to === "deleted" || to === "unchanged" || from === to) continue;
    const key = `${from} ${to}`;
    const way = ways.get(key) ?? { from, to, events: [] };
    ways.set(key, way);
    if (!way.events.includes(event)) way.events.push(event);
  }
  return [...ways.values()];
}
