/**
 * Finds violations in the history of several emulators on one database: those that the checker of one emulator finds, and
 * answers that are older than facts acknowledged before the request.
 */
import { isDeepStrictEqual } from "node:util";
import { isTerminal } from "../../../runtime/protocol/job-status.ts";
import type { ViolationKind } from "../crash/dossier.ts";
import { check, type Expectation } from "../crash/history-checker.ts";
import type { Fact, ReadChunk } from "../crash/history.ts";

export interface FleetViolation {
  readonly kind:
    | ViolationKind
    /** An answer shows a job in a state before a fact that was acknowledged when it was requested. */
    | "went-backwards"
    /** A client waited longer than any answer may take. */
    | "hung"
    /** A request was answered with 500, or a correct submission with 400. */
    | "defect"
    /** One end of a job had several deliveries, or one delivery with several bodies. */
    | "told-twice"
    | "never-told"
    | "wrong-chunks"
    /** A process ended by itself. */
    | "died"
    /** A process wrote data that another one owned. */
    | "foreign-write";
  readonly says: string;
}

type OfType<T extends Fact["type"]> = Extract<Fact, { type: T }>;
type Says = [FleetViolation["kind"], string];

/** Facts about one job, by type and in order. */
class Dossier {
  readonly jobId: string;
  readonly marker: string;
  readonly #facts: Partial<Record<Fact["type"], Fact[]>>;

  constructor(jobId: string, facts: Fact[]) {
    this.jobId = jobId;
    this.#facts = Object.groupBy(facts, ({ type }) => type);
    this.marker = (this.of("submitted")[0] ?? this.of("started")[0])?.marker ?? "";
  }

  of<T extends Fact["type"]>(type: T): OfType<T>[] {
    // They were grouped by that id.
    return (this.#facts[type] ?? []) as OfType<T>[];
  }

  /** Number of times that a client may have retried the job. */
  get retries(): number {
    return this.of("retried").length + this.of("retry-unanswered").length;
  }
}

/** All violations in `facts`, which must be in order. */
export function checkFleet(
  facts: readonly Fact[],
  expected: (marker: string) => Expectation,
): readonly FleetViolation[] {
  const ofJobs = facts.filter((fact) => "jobId" in fact);
  const dossiers = [...Map.groupBy(ofJobs, ({ jobId }) => jobId)].map(
    ([jobId, ofJob]) => new Dossier(jobId, ofJob),
  );
  const found = dossiers.flatMap((dossier) => [
    ...backwards(dossier),
    ...runsAfterEnd(dossier),
    ...deliveries(dossier),
    ...readings(dossier, expected),
  ]);
  return [
    ...check(facts, expected),
    ...[...found, ...ofProcesses(facts)].map(([kind, says]) => ({ kind, says })),
  ];
}

/** Compares an answer with everything that any client was told before the request. */
function backwards(dossier: Dossier): Says[] {
  const { jobId } = dossier;
  const looks = dossier.of("seen").map((look) => ({ ...look, askedAt: look.askedAt ?? look.at }));
  const stale = looks.filter(({ status, askedAt }) => {
    if (isTerminal(status)) return endsTooSoon(dossier, status, askedAt);
    return hasEndedBefore(dossier, askedAt) || (status === "IN_QUEUE" && runs(dossier, askedAt));
  });
  return stale.map(({ status, askedAt, at }) => [
    "went-backwards",
    `${jobId} was shown as ${status} from ${askedAt} to ${at} µs, when more than that had been told of it`,
  ]);
}

/** Whether the end was acknowledged before `at`, to the worker or a client, and the job was never retried. */
function hasEndedBefore(dossier: Dossier, at: number): boolean {
  const ends = [
    ...dossier.of("cancelled"),
    ...dossier.of("seen").filter(({ status }) => isTerminal(status)),
    ...finalReceipts(dossier),
  ];
  return dossier.retries === 0 && ends.some((end) => end.at < at);
}

function finalReceipts(dossier: Dossier): OfType<"receipt">[] {
  return dossier
    .of("receipt")
    .filter(({ kind, accepted, forged }) => accepted && !forged && FINAL.has(kind));
}

const FINAL: ReadonlySet<string> = new Set(["completed", "failed", "timed-out"]);

/** Whether the job is shown as it ended before an acknowledged retry. */
function endsTooSoon(dossier: Dossier, status: string, askedAt: number): boolean {
  const [retried, ...others] = dossier.of("retried");
  if (retried === undefined || others.length > 0 || status !== "FAILED") return false;
  const failed = dossier.of("outcome-sent").filter(({ kind }) => kind === "failed");
  return retried.at < askedAt && failed.every(({ at }) => at < retried.at);
}

/** Whether the worker that completed it already had it. */
function runs(dossier: Dossier, askedAt: number): boolean {
  if (dossier.of("seen").at(-1)?.status !== "COMPLETED") return false;
  const last = dossier
    .of("handed-over")
    .toSorted((a, b) => a.attempt - b.attempt)
    .at(-1);
  return last !== undefined && last.at < askedAt;
}

/** No handler begins a job after a client has seen its end. A hand-over may cross a cancellation on its way. */
function runsAfterEnd(dossier: Dossier): Says[] {
  if (dossier.retries > 0) return [];
  const end = dossier.of("seen").find(({ status }) => isTerminal(status));
  if (end === undefined || end.status === "CANCELLED") return [];
  return dossier
    .of("started")
    .filter(({ at }) => at > end.at)
    .map(({ jobId, attempt, at }) => [
      "run-again",
      `attempt ${attempt} of ${jobId} began ${at - end.at} µs after it was seen ${end.status}`,
    ]);
}

function deliveries(dossier: Dossier): Says[] {
  const { jobId } = dossier;
  const calls = dossier.of("webhook");
  const ids = [...Map.groupBy(calls, ({ deliveryId }) => deliveryId)];
  const changed = ids.filter(([, tries]) => new Set(tries.map(({ body }) => body)).size > 1);
  const found: Says[] = changed.map(([id]) => [
    "told-twice",
    `delivery ${id} of ${jobId} had several bodies`,
  ]);
  if (ids.length > 1 + dossier.retries)
    found.push(["told-twice", `${jobId} was told of by ${ids.length} deliveries`]);
  const last = dossier.of("seen").at(-1);
  const isWanted = dossier.of("submitted").some(({ webhook }) => webhook === true);
  if (!isWanted || last === undefined || !isTerminal(last.status)) return found;
  const isTold = calls.some(({ taken, status }) => taken && status === last.status);
  if (!isTold) found.push(["never-told", `nobody was told that ${jobId} is ${last.status}`]);
  return found;
}

/** All readers get the same chunks of an attempt, and no connection skips any. */
function readings(dossier: Dossier, expected: (marker: string) => Expectation): Says[] {
  const reads = dossier.of("read-chunks");
  if (reads.length === 0) return [];
  const wanted = expected(dossier.marker).chunks ?? [];
  return reads.flatMap(({ jobId, after, chunks, end }) => {
    const problem = problemOf(wanted, after, chunks, end === "COMPLETED");
    return problem === undefined ? [] : [["wrong-chunks", `a stream of ${jobId} ${problem}`]];
  });
}

function problemOf(
  wanted: readonly unknown[],
  after: { readonly attempt: number; readonly index: number } | undefined,
  chunks: readonly ReadChunk[],
  isWhole: boolean,
): string | undefined {
  let last = after;
  for (const { attempt, index, output } of chunks) {
    const isNew = last === undefined || attempt > last.attempt;
    const next = isNew ? 0 : (last?.index ?? -1) + 1;
    if (last !== undefined && attempt < last.attempt) return `went back to attempt ${attempt}`;
    if (index !== next) return `had chunk ${index} of attempt ${attempt} in place of ${next}`;
    if (!isDeepStrictEqual(output, wanted[index]))
      return `had ${JSON.stringify(output)} as chunk ${index} of attempt ${attempt}`;
    last = { attempt, index };
  }
  const count = (last?.index ?? -1) + 1;
  return isWhole && count !== wanted.length ? `ended after ${count} chunks` : undefined;
}

const SUBMITS: ReadonlySet<string> = new Set(["run", "runsync"]);

function ofProcesses(facts: readonly Fact[]): Says[] {
  return facts.flatMap((fact): Says[] => {
    if (fact.type === "died") return [["died", `emulator ${fact.seat} ended: ${fact.says}`]];
    if (fact.type === "foreign-write") return [["foreign-write", fact.says]];
    if (fact.type !== "request") return [];
    if (fact.status === 500 || (fact.status === 400 && SUBMITS.has(fact.operation)))
      return [["defect", `${fact.operation} at emulator ${fact.seat}: ${fact.says}`]];
    if (fact.end !== "hung") return [];
    const lasted = Math.round((fact.at - fact.askedAt) / 1_000);
    return [["hung", `${fact.operation} at emulator ${fact.seat} had no answer in ${lasted} ms`]];
  });
}
