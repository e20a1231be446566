/**
 * The jobs of the soak: the number for each way of the fixture misbehaves-in-many-ways, and the end that each must
 * have.
 */
import type { Failure, JobPolicy } from "../../../../runtime/client/index.ts";
import type { Expectation } from "../../crash/history-checker.ts";

export interface Way {
  readonly name: string;
  /** Number of the jobs that go this way. */
  readonly jobs: number;
  readonly policy?: JobPolicy;
  readonly ends: Expectation;
  /** Members that the failure report must have; undefined: there is no report. */
  readonly failure?: Partial<Failure>;
  /** Whether it costs its job an attempt: every time, or only the first time. */
  readonly crashes?: "always" | "once";
}

const twenty = Array.from({ length: 20 }, (_, n) => ({ n }));

/** Minimum number of jobs. */
const SHORT: JobPolicy = { executionTimeout: 5_000 };

const well = (name: string, jobs: number, chunks?: readonly unknown[]): Way => ({
  name,
  jobs,
  ends: { statuses: ["COMPLETED"], ...(chunks === undefined ? {} : { chunks }) },
});

const badly = (name: string, jobs: number, failure: Partial<Failure>): Way => ({
  name,
  jobs,
  ends: { statuses: ["FAILED"] },
  failure,
});

const late = (name: string, jobs: number): Way => ({
  name,
  jobs,
  policy: SHORT,
  ends: { statuses: ["TIMED_OUT"] },
  failure: { type: "execution_timeout" },
});

/** The first attempt ends its process; the next attempt is like any other. */
const once = (name: string, jobs: number): Way => ({
  ...well(`${name}/once`, jobs),
  crashes: "once",
});

const always = (name: string, jobs: number, how: Partial<Failure>): Way => ({
  ...badly(name, jobs, { type: "process_exited", ...how }),
  crashes: "always",
});

/** Expensive ways are rare. */
export const WAYS: readonly Way[] = [
  well("returns", 616),
  well("awaits", 500),
  well("streams", 250, twenty),
  well("streams-without-a-pause", 100, twenty),
  well("yields-too-much", 6, ["é".repeat(750_000)]),
  well("blocks-for-a-moment", 60),
  well("prints", 60),
  badly("throws", 160, { type: "handler_error", message: "as told" }),
  badly("throws-a-string", 60, { type: "handler_error", message: "as told, in a string" }),
  badly("returns-a-cycle", 40, { type: "invalid_output" }),
  badly("returns-a-bigint", 20, { type: "invalid_output" }),
  badly("returns-too-much", 2, { type: "invalid_output" }),
  badly("rejects-later", 12, { type: "unhandled_error", message: "nobody listens" }),
  well("rejects-when-done", 8),
  late("overruns", 60),
  late("ignores-abort", 8),
  late("ignores-sigterm", 4),
  late("blocks-the-loop", 8),
  once("exits", 12),
  once("is-killed", 4),
  once("segfaults", 3),
  once("eats-memory", 3),
  always("exits", 3, { exitCode: 7 }),
  always("is-killed", 1, { signal: "SIGKILL" }),
];

export const JOBS = WAYS.reduce((sum, { jobs }) => sum + jobs, 0);

const byName = new Map(WAYS.map((way) => [way.name, way]));

/** The way of the job that was submitted with `marker`: its name, a colon and a number. */
export function wayOf(marker: string): Way {
  const way = byName.get(marker.slice(0, marker.lastIndexOf(":")));
  if (way === undefined) throw new Error(`no way is called as ${marker} says`);
  return way;
}
