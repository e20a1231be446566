/** Hand-overs that a kill made the service forget, and violations by hand-overs and runs. */
import { type Dossier, of, type OfType, type Violation } from "./dossier.ts";

/** Longest time after a kill in which a worker reads what came before it, µs. No service starts within it. */
const READ_LATE_US = 100_000;

/**
 * When a kill made the service forget the hand-over, if it may have: a hand-over leaves while it is being stored, and no answer or
 * receipt has told of it.
 */
export function forgottenAt(dossier: Dossier, handed: OfType<"handed-over">): number | undefined {
  const killedAt = dossier.kills.find((at) => at + READ_LATE_US > handed.at);
  if (killedAt === undefined) return undefined;
  const isTold =
    of(dossier, "receipt").some(
      ({ accepted, leaseToken }) => accepted && leaseToken === handed.leaseToken,
    ) ||
    of(dossier, "seen").some(
      ({ at, status }) => status !== "IN_QUEUE" && handed.at < at && at < killedAt,
    );
  return isTold ? undefined : killedAt;
}

/** The hand-overs that count: a forgotten one is made again under its number. */
function standing(dossier: Dossier): OfType<"handed-over">[] {
  const handed = of(dossier, "handed-over");
  return handed.filter((each) => {
    const at = forgottenAt(dossier, each);
    if (at === undefined) return true;
    const since = Math.max(at, each.at);
    return !handed.some((other) => other.attempt === each.attempt && other.at > since);
  });
}

/** Each hand-over has its own attempt and token. */
export function leaseViolations(dossier: Dossier): Violation[] {
  const handed = standing(dossier);
  return [
    ...repeated(handed, ({ attempt }) => `attempt ${attempt}`),
    ...repeated(handed, ({ leaseToken }) => `token ${leaseToken}`),
  ].map((what) => ({
    kind: "handed-over-twice",
    says: `${what} of ${dossier.jobId} was handed over more than once`,
  }));
}

/** A handler runs each hand-over at most once, and nothing else. */
export function runViolations(dossier: Dossier): Violation[] {
  const handed = of(dossier, "handed-over");
  const standingOnes = standing(dossier);
  const started = of(dossier, "started").filter(({ at, attempt }) => {
    const last = handed.findLast((each) => each.attempt === attempt && each.at <= at);
    return last === undefined || standingOnes.includes(last);
  });
  const attempts = new Set(handed.map(({ attempt }) => attempt));
  const unasked = started.filter(({ attempt }) => !attempts.has(attempt));
  return [
    ...repeated(started, ({ attempt }) => `attempt ${attempt}`).map((what): Violation => ({
      kind: "run-again",
      says: `${what} of ${dossier.jobId} was run more than once`,
    })),
    ...unasked.map(({ attempt, jobId }): Violation => ({
      kind: "ran-unasked",
      says: `attempt ${attempt} of ${jobId} ran without having been handed over`,
    })),
  ];
}

function repeated<T>(entries: readonly T[], name: (entry: T) => string): string[] {
  const groups = [...Map.groupBy(entries, name)];
  return groups.filter(([, same]) => same.length > 1).map(([what]) => what);
}
