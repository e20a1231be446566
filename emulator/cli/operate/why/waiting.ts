/** Sentences about the reason why a job waits in its queue. */
import { durationInWords } from "../../../core/time/duration.ts";
import type { FailedStart, WhyFacts } from "./explain-job.ts";
import { counted, ordinal } from "./format.ts";

export function waitingSentences({
  job,
  now,
  endpoint,
  failedStarts,
}: WhyFacts): readonly string[] {
  const queuedAt = Date.parse(job.queuedAt);
  const waits = `Job ${job.id} of "${job.endpointId}" has been waiting for ${durationInWords(Math.max(0, now - queuedAt))}`;
  if (endpoint === undefined) return [`${waits}: its endpoint does not exist any more.`];
  const { workers, workersMax } = endpoint;
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
  if (last !== undefined)
    return [`${waits}: no worker comes up.`, ...startsInWords(failed, last, endpoint.version)];
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
  const said = last.message === "" ? "" : `: ${last.message.split("\n", 1)[0]}`;
  return [
    `The last start was the ${ordinal(inARow)} ${what} in setup on version ${version}${said.replace(/\.$/u, "")}.`,
  ];
}
