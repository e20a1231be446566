/** Applies an event to a worker's life by the table. */
import type { Moment, WorkerEffect, WorkerEvent } from "./worker-event.ts";
import type { WorkerLife } from "./worker-life.ts";
import { WORKER_ROWS } from "./worker-transition-table.ts";

export interface WorkerMove {
  readonly life: WorkerLife;
  /** In order. */
  readonly effects: readonly WorkerEffect[];
}

const rowsByEvent = Map.groupBy(WORKER_ROWS, ({ event }) => event);

/** The life after `event`, with its effects; undefined if the event is refused. */
export function moveOf(life: WorkerLife, event: WorkerEvent, at: Moment): WorkerMove | undefined {
  const row = rowsByEvent
    .get(event)
    ?.find(({ from, when }) => from.includes(life.phase) && (when?.test(life) ?? true));
  if (!row) return undefined;
  return { life: { ...life, ...row.change?.(at), phase: row.to }, effects: row.effects ?? [] };
}
