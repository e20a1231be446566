/** Finds violations in a history: a job that was lost, ran again after its end, or was ended by a stale outcome. */
import { isDeepStrictEqual } from "node:util";
import { isTerminal, type JobStatus } from "../../../runtime/protocol/job-status.ts";
import { type Dossier, of, type OfType, type Violation } from "./dossier.ts";
import { forgottenAt, leaseViolations, runViolations } from "./hand-overs.ts";
import type { Fact } from "./history.ts";

/** The end that a job must have, as its submission's marker says. */
export interface Expectation {
  /** Expected end, unless the job is cancelled or retried. */
  readonly statuses: readonly JobStatus[];
  /** Expected end of a retried job; default: `statuses`. */
  readonly afterRetry?: JobStatus;
  /** Members of a COMPLETED job's output, beside `marker` and `attempt`. */
  readonly output?: Readonly<Record<string, unknown>>;
  /** Outputs of the chunks that it must have streamed, without their attempt. */
  readonly chunks?: readonly unknown[];
}

/** All violations in `facts`, which must be in order. */
export function check(
  facts: readonly Fact[],
  expected: (marker: string) => Expectation,
): readonly Violation[] {
  const kills = of({ facts }, "killed").map(({ at }) => at);
  const dossiers = [...Map.groupBy(facts.filter(isOfJob), ({ jobId }) => jobId)].map(
    ([jobId, ofJob]): Dossier => ({ jobId, facts: ofJob, kills }),
  );
  return [
    ...markersOfSeveralJobs(facts),
    ...refusedButRun(facts),
    ...dossiers.flatMap((dossier) => [
      ...leaseViolations(dossier),
      ...runViolations(dossier),
      ...outcomeViolations(dossier),
      ...cancelViolations(dossier),
      ...endViolations(dossier, expected),
    ]),
    ...countViolations(facts, dossiers),
  ];
}

function isOfJob(fact: Fact): fact is Extract<Fact, { jobId: string }> {
  return "jobId" in fact;
}

function markersOfSeveralJobs(facts: readonly Fact[]): Violation[] {
  const named = of({ facts }, "submitted", "started");
  return [...Map.groupBy(named, ({ marker }) => marker)].flatMap(([marker, entries]) => {
    const ids = new Set(entries.map(({ jobId }) => jobId));
    if (ids.size === 1) return [];
    const says = `submission ${marker} became ${ids.size} jobs: ${[...ids].join(", ")}`;
    return [{ kind: "submitted-twice", says }];
  });
}

function refusedButRun(facts: readonly Fact[]): Violation[] {
  const refused = new Set(of({ facts }, "submission-refused").map(({ marker }) => marker));
  return of({ facts }, "started")
    .filter(({ marker }) => refused.has(marker))
    .map(({ marker, jobId }) => ({
      kind: "ran-unasked",
      says: `submission ${marker} was refused and ran as ${jobId}`,
    }));
}

const FINAL_KINDS: ReadonlySet<string> = new Set(["completed", "failed", "timed-out"]);

/** No hand-over follows an acknowledged outcome, except one for each retry. */
function outcomeViolations(dossier: Dossier): Violation[] {
  const { jobId } = dossier;
  const handed = of(dossier, "handed-over");
  const attemptOf = new Map(handed.map(({ leaseToken, attempt }) => [leaseToken, attempt]));
  const retries = of(dossier, "retried", "retry-unanswered").length;
  const accepted = of(dossier, "receipt").filter((receipt) => receipt.accepted);
  const forged = accepted.filter((receipt) => receipt.forged);
  // In the order of the attempts: on a line that is cut, a receipt may come after the next attempt's.
  const finals = accepted
    .filter((receipt) => !receipt.forged && FINAL_KINDS.has(receipt.kind))
    .toSorted((a, b) => (attemptOf.get(a.leaseToken) ?? 0) - (attemptOf.get(b.leaseToken) ?? 0));
  return [
    ...forged.map(({ leaseToken }): Violation => ({
      kind: "stale-outcome-accepted",
      says: `an outcome forged under the ended lease ${leaseToken} of ${jobId} was accepted`,
    })),
    ...finals.slice(retries).flatMap(({ leaseToken, at }) => {
      const attempt = attemptOf.get(leaseToken) ?? 0;
      const next = handed.find((other) => other.attempt > attempt);
      return next ? [afterTheEnd(jobId, attempt, next, next.at < at)] : [];
    }),
  ];
}

function afterTheEnd(
  jobId: string,
  attempt: number,
  next: OfType<"handed-over">,
  wasStale: boolean,
): Violation {
  const outcome = `the outcome of attempt ${attempt} of ${jobId}`;
  const handedOver = `attempt ${next.attempt} had been handed over`;
  return wasStale
    ? { kind: "stale-outcome-accepted", says: `${outcome} was accepted after ${handedOver}` }
    : { kind: "run-again", says: `${outcome} was acknowledged, and then ${handedOver}` };
}

/** A hand-over made before the cancellation may still be on its way to the worker when the client has its answer. */
function cancelViolations(dossier: Dossier): Violation[] {
  const { jobId } = dossier;
  const [cancelled] = of(dossier, "cancelled");
  if (cancelled === undefined) return [];
  const [, ...later] = of(dossier, "handed-over").filter(({ at }) => at > cancelled.at);
  const outcomes = of(dossier, "receipt").filter(
    ({ kind, accepted, forged }) => accepted && !forged && FINAL_KINDS.has(kind),
  );
  return [
    ...later.map(({ attempt }): Violation => ({
      kind: "run-again",
      says: `attempt ${attempt} of ${jobId} was handed over after its cancellation had been acknowledged`,
    })),
    ...outcomes.map(({ kind }): Violation => ({
      kind: "stale-outcome-accepted",
      says: `the outcome "${kind}" of ${jobId} was accepted although its cancellation was acknowledged`,
    })),
  ];
}

function endViolations(
  dossier: Dossier,
  expected: (marker: string) => Expectation,
): readonly Violation[] {
  const { jobId } = dossier;
  const [lost] = of(dossier, "not-found");
  const isForgotten = of(dossier, "handed-over").every((each) => forgottenAt(dossier, each));
  if (lost && of(dossier, "submitted").length === 0 && isForgotten) return [];
  if (lost) return [{ kind: "lost", says: `${jobId} is not known to the service any more` }];
  const marker = of(dossier, "submitted", "started")[0]?.marker;
  const seen = of(dossier, "seen");
  const end = seen.findLast(({ status }) => isTerminal(status));
  if (end === undefined) {
    const last = seen.at(-1)?.status ?? "never seen";
    return [{ kind: "lost", says: `${jobId} has no end: it is ${last}` }];
  }
  const changed = changesOfEnd(dossier);
  // A job that was handed over and never started has an unknown marker: only its end can be checked.
  if (marker === undefined) return changed;
  return [...changed, ...wrongEnd(dossier, end, expected(marker), marker)];
}

/** After an end was seen, every later look must show it, unless a retry may have taken effect in between. */
function changesOfEnd(dossier: Dossier): Violation[] {
  const violations: Violation[] = [];
  const retries = of(dossier, "retried", "retry-unanswered");
  let end: OfType<"seen"> | undefined;
  for (const fact of of(dossier, "seen")) {
    const since = beginOf(end);
    const isRetried = retries.some((retry) => retry.at >= since && beginOf(retry) <= fact.at);
    const isSame = fact.status === end?.status && isDeepStrictEqual(fact.output, end.output);
    if (end && !isSame && !isRetried && !isOlder(fact, end)) {
      violations.push({
        kind: "end-changed",
        says: `${dossier.jobId} was seen ${end.status} with ${show(end.output)} and later ${fact.status} with ${show(fact.output)}`,
      });
    }
    if (isTerminal(fact.status)) end = fact;
  }
  return violations;
}

/** Whether the look began before the end was seen, and shows the job without an end and an output. */
function isOlder(look: OfType<"seen">, end: OfType<"seen">): boolean {
  return beginOf(look) < end.at && !isTerminal(look.status) && look.output === undefined;
}

/** Time of the request, if known. */
function beginOf(fact: { readonly at: number; readonly askedAt?: number } | undefined): number {
  return fact?.askedAt ?? fact?.at ?? 0;
}

function wrongEnd(
  dossier: Dossier,
  end: OfType<"seen">,
  expectation: Expectation,
  marker: string,
): Violation[] {
  const allowed = allowedEnds(dossier, expectation);
  if (!allowed.has(end.status)) {
    const says = `${end.jobId} (${marker}) ended ${end.status} instead of ${[...allowed].join(" or ")}`;
    return [{ kind: "wrong-end", says }];
  }
  if (end.status !== "COMPLETED") return [];
  const lastAttempt = Math.max(0, ...of(dossier, "handed-over").map(({ attempt }) => attempt));
  const wanted = { ...expectation.output, marker, attempt: lastAttempt };
  const violations: Violation[] = [];
  if (!isDeepStrictEqual(end.output, wanted)) {
    violations.push({
      kind: "wrong-output",
      says: `${end.jobId} completed with ${show(end.output)} instead of ${show(wanted)}`,
    });
  }
  const { chunks } = expectation;
  const streamed = of(dossier, "streamed").at(-1);
  if (chunks !== undefined && !isDeepStrictEqual(streamed?.outputs, chunks)) {
    const says = `${end.jobId} streamed ${show(streamed?.outputs)} instead of ${show(chunks)}`;
    violations.push({ kind: "wrong-stream", says });
  }
  return violations;
}

function allowedEnds(dossier: Dossier, { statuses, afterRetry }: Expectation): Set<JobStatus> {
  const has = (type: Fact["type"]) => of(dossier, type).length > 0;
  if (has("cancelled")) return new Set(["CANCELLED"]);
  const retried = afterRetry === undefined ? statuses : [afterRetry];
  return new Set([
    ...(has("retried") ? retried : statuses),
    ...(has("retry-unanswered") ? retried : []),
    ...(has("cancel-unanswered") ? ["CANCELLED" as const] : []),
  ]);
}

function countViolations(facts: readonly Fact[], dossiers: readonly Dossier[]): Violation[] {
  const counted = of({ facts }, "counted").at(-1);
  if (counted === undefined) return [];
  const completed = dossiers.filter(
    (dossier) => of(dossier, "seen").at(-1)?.status === "COMPLETED",
  ).length;
  if (completed === counted.completed) return [];
  const says = `the service counted ${counted.completed} completed jobs, and ${completed} are`;
  return [{ kind: "miscounted", says }];
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
