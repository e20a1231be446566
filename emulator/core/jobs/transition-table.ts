/**
 * The state machine of a job as data: what happens at each event in each status. `transition` interprets it, and the diagram in
 * docs/state-machines.md is generated from it. Each row names the source of its rule: the contract (`spec`) or ours.
 */
import { anyStatusRows, finishedRows, repeatRows } from "./transitions/ended.ts";
import type { TransitionRow } from "./transitions/row.ts";
import { runningRows } from "./transitions/running.ts";
import { waitingRows } from "./transitions/waiting.ts";

export const TRANSITION_ROWS: readonly TransitionRow[] = [
  ...waitingRows,
  ...runningRows,
  ...repeatRows,
  ...finishedRows,
  ...anyStatusRows,
];
