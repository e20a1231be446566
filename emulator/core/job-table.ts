/**
 * The state machine of a job, as data: for each status and event what happens. `transition` interprets it, the diagram
 * in ARCHITECTURE.md is drawn from it, and each row says whether the rule is the contract's (`spec`) or ours.
 */
import { anyStatusRows, finishedRows, repeatRows } from "./job-rows/ended.ts";
import type { TransitionRow } from "./job-rows/row.ts";
import { runningRows } from "./job-rows/running.ts";
import { waitingRows } from "./job-rows/waiting.ts";

export const TRANSITION_ROWS: readonly TransitionRow[] = [
  ...waitingRows,
  ...runningRows,
  ...repeatRows,
  ...finishedRows,
  ...anyStatusRows,
];
