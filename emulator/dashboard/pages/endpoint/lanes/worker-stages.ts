/** The life of a worker as stretches of time, from the start of its launcher to its end. Pure. */
import { gapsOf, type Span } from "../../../components/time-scale.ts";

/** What the service tells of a worker, as far as it is drawn; instants in ISO 8601. */
export interface DrawnWorker {
  readonly id: string;
  readonly version: number;
  readonly state: string;
  readonly startedAt: string;
  readonly pulledAt?: string | undefined;
  readonly bootedAt?: string | undefined;
  readonly readyAt?: string | undefined;
  readonly drainingAt?: string | undefined;
  readonly endedAt?: string | undefined;
  /** `left` where it was told to. */
  readonly end?: string | undefined;
  readonly exit?: { readonly message: string } | undefined;
  readonly jobs: readonly { readonly jobId: string; readonly startedAt: string }[];
  readonly past: readonly {
    readonly jobId: string;
    readonly startedAt: string;
    readonly endedAt: string;
    readonly outcome: string;
  }[];
}

/**
 * `pull`: its image, or what else comes before its program runs; `boot`: until it is heard of; `setup`: its handler is loaded
 * and set up; `leave`: it was told to, and has no job any more; `unknown`: which jobs it had then is not kept.
 */
export type Stage = "pull" | "boot" | "setup" | "execution" | "idle" | "leave" | "unknown";

export interface Bar extends Span {
  readonly stage: Stage;
  /** Those of executions: how many are drawn as one, and how many of them failed. */
  readonly jobs: number;
  readonly failed: number;
  /** Of one alone. */
  readonly jobId?: string;
  readonly outcome?: string;
  /** Executions at one time stand one below the other, from 0. */
  readonly track: number;
}

/** So many ended executions of a worker are told. */
const PAST_TOLD = 200;
const HAND_OVER_MS = 50;
/** More than so many at one time are drawn over each other. */
const MOST_TRACKS = 4;

/** @param now where what still goes on ends; @param resolutionMs what is shorter is drawn as one with its neighbours */
export function barsOf(worker: DrawnWorker, now: number, resolutionMs: number): readonly Bar[] {
  const end = momentOf(worker.endedAt) ?? Math.max(now, Date.parse(worker.startedAt));
  const executions = executionsOf(worker, end);
  const readyAt = momentOf(worker.readyAt);
  const bars = [
    ...startBars(worker, end),
    ...(readyAt === undefined ? [] : restBars(worker, executions, { from: readyAt, to: end })),
  ].filter(({ stage, from, to }) => to > from && (stage !== "idle" || to - from > resolutionMs));
  return [...bars, ...joined(inTracks(executions), resolutionMs)];
}

/** Why it ended, where nobody told it to. */
export function misfortuneOf({ endedAt, end, exit }: DrawnWorker): string | undefined {
  if (endedAt === undefined || end === undefined || end === "left") return undefined;
  return exit?.message ?? end.replaceAll("_", " ");
}

/** How many tracks the bars need. */
export function tracksOf(bars: readonly Bar[]): number {
  return bars.reduce((most, { track }) => Math.max(most, track + 1), 1);
}

function startBars(worker: DrawnWorker, end: number): readonly Bar[] {
  const { startedAt, pulledAt, bootedAt, readyAt } = worker;
  const steps = [
    ["pull", pulledAt],
    ["boot", bootedAt],
    ["setup", readyAt],
  ] as const;
  const bars: Bar[] = [];
  let from = Date.parse(startedAt);
  // What is not told lies in the stage of the next moment that is.
  const known = steps.filter(([, at]) => at !== undefined);
  for (const [stage, at] of known) {
    const to = momentOf(at) ?? end;
    bars.push(bar(stage, { from, to }));
    from = to;
  }
  if (readyAt !== undefined) return bars;
  const next = steps[steps.findLastIndex(([, at]) => at !== undefined) + 1];
  return next === undefined ? bars : [...bars, bar(next[0], { from, to: end })];
}

/** What it does between jobs. */
function restBars(worker: DrawnWorker, executions: readonly Bar[], life: Span): readonly Bar[] {
  const told = worker.past.length >= PAST_TOLD ? momentOf(worker.past[0]?.startedAt) : undefined;
  const leavesAt = momentOf(worker.drainingAt) ?? life.to;
  const bars: Bar[] = [];
  if (told !== undefined) bars.push(bar("unknown", { from: life.from, to: told }));
  const from = Math.max(life.from, told ?? life.from);
  for (const gap of gapsOf({ from, to: life.to }, executions)) {
    bars.push(bar("idle", { from: gap.from, to: Math.min(gap.to, leavesAt) }));
    bars.push(bar("leave", { from: Math.max(gap.from, leavesAt), to: gap.to }));
  }
  return bars;
}

function executionsOf({ past, jobs }: DrawnWorker, end: number): readonly Bar[] {
  const ended = past.map(({ jobId, startedAt, endedAt, outcome }) => ({
    ...bar("execution", { from: Date.parse(startedAt), to: Date.parse(endedAt) }),
    ...{ jobs: 1, failed: isFailure(outcome) ? 1 : 0, jobId, outcome },
  }));
  const running = jobs.map(({ jobId, startedAt }) => ({
    ...bar("execution", { from: Date.parse(startedAt), to: end }),
    ...{ jobs: 1, jobId, outcome: "running" },
  }));
  return [...ended, ...running].toSorted((one, other) => one.from - other.from);
}

const NO_FAILURES: ReadonlySet<string> = new Set([
  "completed",
  "running",
  "cancelled",
  "handed_back",
  "undelivered",
  "interrupted",
]);

export function isFailure(outcome: string): boolean {
  return !NO_FAILURES.has(outcome);
}

/**
 * Each in the first track that is free by then. A worker is handed the next job while it still reports the last one: what
 * overlaps so little is no second track.
 */
function inTracks(executions: readonly Bar[]): readonly Bar[] {
  const freeAt: number[] = [];
  return executions.map((execution) => {
    const { from, to } = execution;
    const overlap = Math.min(HAND_OVER_MS, (to - from) / 4);
    const free = freeAt.findIndex((at) => at <= from + overlap);
    const track = Math.min(MOST_TRACKS - 1, free === -1 ? freeAt.length : free);
    const before = free === -1 ? undefined : freeAt[track];
    freeAt[track] = Math.max(freeAt[track] ?? 0, to);
    return { ...execution, from: Math.max(from, before ?? from), track };
  });
}

/** Short ones that follow each other closely become one; no failure is lost in that. */
function joined(executions: readonly Bar[], resolutionMs: number): readonly Bar[] {
  const bars: Bar[] = [];
  /** Where the last bar of each track is. */
  const lastIn = new Map<number, number>();
  for (const next of executions) {
    const at = lastIn.get(next.track);
    const last = at === undefined ? undefined : bars[at];
    if (at !== undefined && last !== undefined && isOneWith(last, next, resolutionMs)) {
      const { from, to, track, jobs, failed } = last;
      bars[at] = {
        ...bar("execution", { from, to: Math.max(to, next.to) }),
        ...{ track, jobs: jobs + next.jobs, failed: failed + next.failed },
      };
    } else {
      lastIn.set(next.track, bars.length);
      bars.push(next);
    }
  }
  return bars;
}

function isOneWith(last: Bar, next: Bar, resolutionMs: number): boolean {
  const isShort = ({ from, to, jobs }: Bar) => jobs > 1 || to - from < resolutionMs;
  return isShort(last) && isShort(next) && next.from - last.to < resolutionMs;
}

function bar(stage: Stage, { from, to }: Span): Bar {
  return { stage, from, to, jobs: 0, failed: 0, track: 0 };
}

function momentOf(instant: string | undefined): number | undefined {
  return instant === undefined ? undefined : Date.parse(instant);
}
