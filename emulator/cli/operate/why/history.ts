/** Sentences about the earlier attempts of a job, and about other jobs of its endpoint. */
import { outcomeInWords } from "../../../core/jobs/attempt.ts";
import type { Attempt, JobDetails } from "../find-job.ts";
import type { OtherJob, WhyFacts } from "./explain-job.ts";
import { counted, ordinal } from "./format.ts";

/** Outcomes that the handler or its worker caused. */
const BAD = new Set(["failed", "crashed", "out_of_memory", "timed_out", "lost"]);

const NOUNS: Readonly<Record<string, string>> = {
  failed: "failure",
  crashed: "crash",
  out_of_memory: "out-of-memory",
  timed_out: "time-out",
  lost: "lost worker",
};

export function historySentences({ job, others, endpoint }: WhyFacts): readonly string[] {
  const sentences = [...ofAttempts(job)];
  const last = job.attempts.at(-1);
  const version = last?.version ?? endpoint?.version;
  const isBad = last !== undefined && BAD.has(last.outcome);
  if (version === undefined || (!isBad && job.status !== "IN_QUEUE")) return sentences;
  const rest = others.filter(({ id }) => id !== job.id);
  if (isBad) sentences.push(...onThisVersion(rest, version));
  return [...sentences, ...onOthers(rest, job, version)];
}

function ofAttempts({ attempts, attemptsLeftOut = 0, status }: JobDetails): readonly string[] {
  const last = attempts.at(-1);
  if (last === undefined) return [];
  if (status === "IN_QUEUE") return [earlier(attempts)];
  const before = attempts.slice(0, -1);
  const isOver = status === "FAILED" || status === "TIMED_OUT";
  if (!isOver || !BAD.has(last.outcome)) return before.length === 0 ? [] : [earlier(before)];
  const alike = trailing(attempts, ({ outcome }) => outcome === last.outcome);
  const total = attempts.length + attemptsLeftOut;
  if (total === 1) return [];
  if (alike === 1) return [earlier(before)];
  const isSameVersion = attempts.slice(-alike).every(({ version }) => version === last.version);
  const on = isSameVersion && last.version !== undefined ? ` on version ${last.version}` : "";
  const reachesGap = attemptsLeftOut > 0 && alike >= attempts.length - 1;
  const atLeast = reachesGap ? " at least" : "";
  const number = `It was${atLeast} the ${ordinal(alike)} ${NOUNS[last.outcome] ?? "failure"} in a row${on}`;
  const rest = before.slice(0, before.length - alike + 1);
  return [`${number}, in ${total} attempts.`, ...(rest.length > 0 ? [earlier(rest)] : [])];
}

/** `Before, attempt 1 lost its worker and attempt 2 was handed back.` */
function earlier(attempts: readonly Attempt[]): string {
  const shown = attempts.slice(-3).map(attemptInWords);
  const more = attempts.length - shown.length;
  const head = more > 0 ? `Before, among ${attempts.length} attempts,` : "Before,";
  return `${head} ${listed(shown)}.`;
}

function attemptInWords({ number, outcome, failure, version }: Attempt): string {
  const text = failure?.message.split("\n", 1)[0]?.replace(/\.$/u, "") ?? "";
  const said = text === "" ? "" : ` (${text})`;
  const on = version === undefined ? "" : ` on version ${version}`;
  return `attempt ${number} ${outcomeInWords(outcome)}${on}${said}`;
}

function onThisVersion(others: readonly OtherJob[], version: number): readonly string[] {
  const ended = ends(others.filter((other) => other.version === version));
  if (ended.bad === 0 && ended.good === 0) return [];
  if (ended.bad === 0)
    return [
      `Of other jobs on version ${version}, none failed and ${ended.good} completed: its input may be the reason.`,
    ];
  if (ended.good === 0)
    return [
      `${counted(ended.bad, "other job")} on version ${version} failed as well, and none completed.`,
    ];
  return [`Of other jobs on version ${version}, ${ended.bad} failed and ${ended.good} completed.`];
}

/** The newest older version on which jobs completed and none failed. */
function onOthers(
  others: readonly OtherJob[],
  job: JobDetails,
  version: number,
): readonly string[] {
  const versions = [...new Set(others.flatMap((other) => other.version ?? []))]
    .filter((other) => other < version)
    .toSorted((a, b) => b - a);
  const tried = new Set(
    job.attempts.filter(({ outcome }) => BAD.has(outcome)).map((each) => each.version),
  );
  for (const other of versions) {
    const { good, bad } = ends(others.filter((each) => each.version === other));
    if (good > 0 && bad === 0 && !tried.has(other))
      return [
        `Version ${other} was fine: ${counted(good, "job")} completed on it and none failed.`,
      ];
    if (bad > 0) return [];
  }
  return [];
}

function ends(jobs: readonly OtherJob[]): { readonly good: number; readonly bad: number } {
  const bad = jobs.filter(({ status }) => status === "FAILED" || status === "TIMED_OUT").length;
  return { good: jobs.filter(({ status }) => status === "COMPLETED").length, bad };
}

function trailing<T>(all: readonly T[], test: (each: T) => boolean): number {
  return all.length - 1 - all.findLastIndex((each) => !test(each));
}

function listed(parts: readonly string[]): string {
  return parts.length < 2
    ? parts.join("")
    : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1) ?? ""}`;
}
