/** The life of a worker as bars in time, from the start of its launcher to its end. Pure. */
import { gapsOf, type Span } from "../../../components/time-scale.ts";
import { type StartedWorker, startStages } from "../../workers/start-stages.ts";

/** The part of a worker that is drawn; instants in ISO 8601. */
export interface DrawnWorker extends StartedWorker {
  readonly id: string;
  readonly version: number;
  readonly state: string;
  readonly drainingAt?: string | undefined;
  /** `left`: it was asked to stop. */
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

/** The stages of the start and more: `leave`: stopping, without a job; `unknown`: the jobs of that time are not kept. */
export type Stage = "pull" | "boot" | "setup" | "execution" | "idle" | "leave" | "unknown";

export interface Bar extends Span {
  readonly stage: Stage;
  /** Executions drawn as one bar, and the failed ones among them. */
  readonly jobs: number;
  readonly failed: number;
  /** For a single execution. */
  readonly jobId?: string;
  readonly outcome?: string;
  /** Executions at the same time have tracks one below the other, from 0. */
  readonly track: number;
}

/** Maximum number of ended executions that the service keeps of a worker. */
const PAST_TOLD = 200;
/** Maximum overlap of two executions that share a track, ms. */
const HAND_OVER_MS = 50;
/** Maximum tracks: further executions are drawn over each other. */
const MOST_TRACKS = 4;

/** @param now the end of open bars; @param resolutionMs shorter executions are joined with their neighbours */
export function barsOf(worker: DrawnWorker, now: number, resolutionMs: number): readonly Bar[] {
  const end = momentOf(worker.endedAt) ?? Math.max(now, Date.parse(worker.startedAt));
  const executions = executionsOf(worker, end);
  const readyAt = momentOf(worker.readyAt);
  const bars = [
    ...startStages(worker).map(({ name, fromMs, toMs = end }) =>
      bar(name, { from: fromMs, to: toMs }),
    ),
    ...(readyAt === undefined ? [] : restBars(worker, executions, { from: readyAt, to: end })),
  ].filter(({ stage, from, to }) => to > from && (stage !== "idle" || to - from > resolutionMs));
  return [...bars, ...joined(inTracks(executions), resolutionMs)];
}

/** The reason why a worker ended without being asked to. */
export function misfortuneOf({ endedAt, end, exit }: DrawnWorker): string | undefined {
  if (endedAt === undefined || end === undefined || end === "left") return undefined;
  return exit?.message ?? end.replaceAll("_", " ");
}

export function tracksOf(bars: readonly Bar[]): number {
  return bars.reduce((most, { track }) => Math.max(most, track + 1), 1);
}

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
 * Each execution takes the first free track. A worker receives the next job while it still reports the last one: such a small
 * overlap needs no second track.
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

/** Joins short executions that follow each other closely, with their failures. */
function joined(executions: readonly Bar[], resolutionMs: number): readonly Bar[] {
  const bars: Bar[] = [];
  /** The index of the last bar of each track. */
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
