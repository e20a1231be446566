/**
 * The state machine of a job, as data: for each status and event what happens. `transition` interprets it, the diagram
 * in ARCHITECTURE.md is drawn from it, and each row says whether the rule is the contract's (`spec`) or ours.
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
