/** Logs the end of a worker, and delays the next start if it failed. */
import type { WorkerExit } from "../../../launch/launcher.ts";
import type { TimePort } from "../../time/time-port.ts";
import type { TellPort } from "../../observe/tell-port.ts";
import { describeExit } from "../describe-exit.ts";
import type { EndpointScale } from "./endpoint-scale.ts";
import { NOT_A_WORKER, type WorkerHandle } from "../worker-handle.ts";

export function recordEnd(
  { log, clock }: TimePort & TellPort,
  worker: WorkerHandle,
  exit: WorkerExit,
  scale: EndpointScale | undefined,
): void {
  const { id: workerId, endpointId, life } = worker;
  const { end = "unasked", readyAt } = life;
  const now = clock.now();
  // A worker of an older version tells nothing about this one.
  const backoff = scale?.version === worker.endpointVersion ? scale.backoff : undefined;
  if (worker.hasProvenItself(now) || (end === "left" && readyAt !== undefined))
    backoff?.succeeded();
  if (end === "left") return log.info({ workerId, endpointId }, "worker has left");
  const waitMs = backoff?.failed(now, worker.startedAt);
  if (scale !== undefined && backoff !== undefined) scale.failure = failureOf(worker, exit);
  const next = waitMs === undefined ? "" : `; the next try is in ${waitMs} ms`;
  if (end === "lost") return log.info({ workerId, endpointId }, "the lost worker has ended");
  // The limit is already in the log.
  const { limit: _, ...known } = exit;
  if (end === "unasked")
    return log.error({ workerId, endpointId, ...known }, `worker ended unasked${next}`);
  // Its last lines are already in the log.
  const { lastLogLines: __, ...how } = known;
  const { endpointVersion: version } = worker;
  log.error({ workerId, endpointId, version, ...how }, `worker could not initialize${next}`);
}

/** Why it failed: a sentence without its subject. */
function failureOf(
  { failure, contact, endpointType, life }: WorkerHandle,
  exit: WorkerExit,
): string {
  if (failure !== undefined) return failure;
  const how = describeExit(exit);
  const isUnexplained = exit.exitCode !== undefined && exit.limit === undefined;
  const isNoWorker = isUnexplained && endpointType === "QUEUE" && !contact.wasMade;
  return isNoWorker && life.end === "not_initialized" ? `${how}${NOT_A_WORKER}` : how;
}
