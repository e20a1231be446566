/** Explains the state of a job in one paragraph. Pure. */
import { printableJson } from "../../../../runtime/protocol/printable.ts";
import { outcomeInWords } from "../../../core/jobs/attempt.ts";
import type { Attempt, JobDetails } from "../find-job.ts";
import { durationInWords } from "../../../core/time/duration.ts";
import { instantInWords } from "../terminal.ts";
import type { FailedStart, WhyFacts } from "./explain-job.ts";
import { historySentences } from "./history.ts";
import { counted, ordinal, sentence } from "./format.ts";

export function why(facts: WhyFacts): string {
  const { job } = facts;
  const sentences = [
    ...standing(facts),
    ...lastLine(job),
    ...limits(job),
    ...(job.status === "IN_QUEUE" && !wasCutOff(job) ? waitingSentences(facts) : []),
    ...historySentences(facts),
    ...deletion(job),
  ];
  return sentences.join(" ");
}

function deletion({ deletedAt }: JobDetails): readonly string[] {
  return deletedAt === undefined
    ? []
    : [`It was deleted at ${instantInWords(deletedAt)}; its input and output are gone.`];
}

function standing({ job, now }: WhyFacts): readonly string[] {
  const subject = `Job ${job.id} of "${job.endpointId}"`;
  const last = job.attempts.at(-1);
  const where = last === undefined ? "" : onWorker(last);
  if (wasCutOff(job))
    return [
      `${subject} ran out of its time to live before it had ended, in attempt ${job.attempt}${where}.`,
    ];
  switch (job.status) {
    case "IN_QUEUE":
      return [];
    case "IN_PROGRESS":
      return [`${subject} runs${where}, for ${ran(last, now)} so far.`];
    case "COMPLETED":
      return [`${subject} completed in ${ran(last, now)}${where}.`];
    case "CANCELLED":
      return last === undefined || last.outcome !== "cancelled"
        ? [`${subject} was cancelled before a worker had it.`]
        : [`${subject} was cancelled after it had run for ${ran(last, now)}${where}.`];
    default:
      return [`${subject} ${endWords(job, last)}${duration(last, now)}${where}.`, ...message(job)];
  }
}

/** True if the job was deleted before its end. */
function wasCutOff({ deletedAt, status }: JobDetails): boolean {
  return deletedAt !== undefined && (status === "IN_QUEUE" || status === "IN_PROGRESS");
}

function endWords(job: JobDetails, last: Attempt | undefined): string {
  if (job.failure?.type === "invalid_input") return "failed before its handler ran";
  if (job.failure?.type === "invalid_output") return "failed when its handler was done";
  return last === undefined ? "failed" : outcomeInWords(last.outcome);
}

function duration(last: Attempt | undefined, now: number): string {
  return last === undefined ? "" : ` after ${ran(last, now)}`;
}

function ran(last: Attempt | undefined, now: number): string {
  if (last === undefined) return "0 ms";
  const end = last.endedAt === undefined ? now : Date.parse(last.endedAt);
  return durationInWords(Math.max(0, end - Date.parse(last.startedAt)));
}

function onWorker({ workerId, version }: Attempt): string {
  const of = version === undefined ? "" : ` with version ${version}`;
  return workerId === undefined ? "" : ` on worker ${workerId}${of}`;
}

function message({ failure }: JobDetails): readonly string[] {
  if (failure === undefined) return [];
  const frame = failure.stack?.split("\n").find((line) => /^\s*at .*\d+:\d+\)?$/u.test(line));
  const place = frame === undefined ? "" : ` (${frame.trim()})`;
  return [sentence(`${(failure.message.split("\n", 1)[0] ?? "").replace(/\.$/u, "")}${place}`)];
}

function lastLine({ failure }: JobDetails): readonly string[] {
  const line = failure?.lastLogLines?.findLast((each) => each.trim() !== "");
  return line === undefined
    ? []
    : [`The last line it wrote was ${printableJson(JSON.stringify(line.trim()))}.`];
}

/** The limit that the job exceeded, and the remedy. */
function limits(job: JobDetails): readonly string[] {
  const { attempts, executionTimeout, failure, status } = job;
  if (wasCutOff(job)) {
    const ttlMs = Date.parse(job.expiresAt) - Date.parse(job.submittedAt);
    return [`Its time to live was ${durationInWords(ttlMs)}.`];
  }
  if (status === "COMPLETED" || status === "CANCELLED") return [];
  const outcome = attempts.at(-1)?.outcome;
  if (status === "IN_PROGRESS" || outcome === "timed_out")
    return [`Its executionTimeout is ${durationInWords(executionTimeout)}.`];
  if (outcome === "out_of_memory")
    return [
      "It needs less memory, or its worker more: that of a container is what its template gives it.",
    ];
  if (failure?.type === "worker_lost" && failure.exitCode === undefined && !failure.signal)
    return ["A worker that blocks or is frozen does not renew its lease."];
  return [];
}

/** Sentences about the reason why a job waits in its queue. */
function waitingSentences({ job, now, endpoint, failedStarts }: WhyFacts): readonly string[] {
  const queuedAt = Date.parse(job.queuedAt);
  const waits = `Job ${job.id} of "${job.endpointId}" has been waiting for ${durationInWords(Math.max(0, now - queuedAt))}`;
  if (endpoint === undefined) return [`${waits}: its endpoint does not exist any more.`];
  const { workers, workersMax, problem } = endpoint;
  if (workersMax === 0) return [`${waits}: its endpoint allows no workers (workersMax is 0).`];
  const failed = failedStarts.filter(
    ({ at, version }) => at >= queuedAt && (version ?? endpoint.version) === endpoint.version,
  );
  if (workers.idle > 0)
    return [`${waits}, and a worker is free: it is its turn next, or the queue is on hold.`];
  if (workers.running > 0) {
    const others = endpoint.inQueue - 1;
    const beside = others > 0 ? `, beside ${counted(others, "other job")}` : "";
    return [
      `${waits}${beside}: all of its workers are busy (${workers.running} of at most ${workersMax}).`,
    ];
  }
  const last = failed.at(-1);
  const starts = last === undefined ? [] : startsInWords(failed, last, endpoint.version);
  if (problem !== undefined)
    return [sentence(`${waits}: ${problem.replace(/\.$/u, "")}`), ...starts];
  if (last !== undefined) return [`${waits}: no worker comes up.`, ...starts];
  const starting = workers.initializing;
  return starting > 0
    ? [
        `${waits}: ${counted(starting, "worker")} of version ${endpoint.version} ${starting === 1 ? "is" : "are"} starting.`,
      ]
    : [
        `${waits}: no worker runs. The log says why none is started: sv-emulate logs ${job.endpointId}`,
      ];
}

function startsInWords(failed: readonly FailedStart[], last: FailedStart, version: number) {
  const inARow =
    failed.length - 1 - failed.findLastIndex(({ outOfMemory }) => outOfMemory !== last.outOfMemory);
  const what = last.outOfMemory ? "out of memory" : "failure";
  return [`The last start was the ${ordinal(inARow)} ${what} in a row on version ${version}.`];
}
