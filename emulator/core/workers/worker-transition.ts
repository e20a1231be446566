/** The one function that decides what an event does to a worker. */
import type { Moment, WorkerEffect, WorkerEvent } from "./worker-event.ts";
import type { WorkerLife } from "./worker-life.ts";
import { WORKER_ROWS } from "./worker-transition-table.ts";

export interface WorkerMove {
  readonly life: WorkerLife;
  /** To be done in this order. */
  readonly effects: readonly WorkerEffect[];
}

const rowsByEvent = Map.groupBy(WORKER_ROWS, ({ event }) => event);

/** What `event` does to a worker that lives so; undefined when it is refused: nothing changes. */
export function moveOf(life: WorkerLife, event: WorkerEvent, at: Moment): WorkerMove | undefined {
  const row = rowsByEvent
    .get(event)
    ?.find(({ from, when }) => from.includes(life.phase) && (when?.test(life) ?? true));
  if (!row) return undefined;
  return { life: { ...life, ...row.change?.(at), phase: row.to }, effects: row.effects ?? [] };
}
