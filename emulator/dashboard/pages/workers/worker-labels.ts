/** Labels of workers, and the consequences of an action on a worker. */
import { formatDuration, formatSize } from "../../format/format.ts";
import type { OperatedWorker } from "../../../../runtime/protocol/generated/answers.ts";

type State = OperatedWorker["state"];

/** In the order of a worker's life. */
export const RUNNING_STATES = [
  "initializing",
  "ready",
  "draining",
  "unhealthy",
  "lost",
] as const satisfies readonly State[];

/** Its GPUs, or `CPU`: `2 × NVIDIA L4 (simulated)`. */
export function deviceOf({ gpus }: Pick<OperatedWorker, "gpus">): string {
  const counts = new Map<string, number>();
  for (const { typeId, simulated } of gpus) {
    const name = simulated ? `${typeId} (simulated)` : typeId;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const parts = Array.from(counts, ([name, count]) => (count === 1 ? name : `${count} × ${name}`));
  return parts.length === 0 ? "CPU" : parts.join(", ");
}

const ENDS = {
  left: "stopped on request",
  not_initialized: "did not become ready",
  unasked: "ended unexpectedly",
  lost: "was lost: silent for too long",
} as const satisfies Record<NonNullable<OperatedWorker["end"]>, string>;

/** How a worker ended: `ended unexpectedly: it was ended by SIGKILL`. */
export function endOf({ end, exit }: Pick<OperatedWorker, "end" | "exit">): string {
  const how = end === undefined ? "ended" : ENDS[end];
  return exit === undefined || end === "left" ? how : `${how}: it ${exit.message}`;
}

/** Whether a worker ended without being asked to. */
export function isBadEnd({ end }: Pick<OperatedWorker, "end">): boolean {
  return end !== undefined && end !== "left";
}

/** Time from its start until it was ready; undefined before that. */
export function startMs({
  startedAt,
  readyAt,
}: Pick<OperatedWorker, "startedAt" | "readyAt">): number | undefined {
  return readyAt === undefined ? undefined : Date.parse(readyAt) - Date.parse(startedAt);
}

/** `12.3 MB of 24,564 MB, 87 % busy`. */
export function gpuUseLabel({
  usedBytes,
  totalBytes,
  busyPercent,
}: NonNullable<OperatedWorker["gpuMemory"]>[number]): string {
  const busy = busyPercent === undefined ? "" : `, ${busyPercent} % busy`;
  return `${formatSize(usedBytes)} of ${formatSize(totalBytes)}${busy}`;
}

/** The workers of an endpoint and in a state; an empty text stands for all. */
export function fitting(
  workers: readonly OperatedWorker[],
  { endpoint = "", state = "" }: Readonly<Record<string, string>>,
): readonly OperatedWorker[] {
  return workers.filter(
    (worker) =>
      (endpoint === "" || worker.endpointId === endpoint) &&
      (state === "" || worker.state === state),
  );
}

type Doomed = Pick<OperatedWorker, "jobs" | "endpointId" | "launcher">;

export function drainSentences(worker: Doomed): readonly string[] {
  const after =
    worker.launcher === "external"
      ? "It may be started again, and gets jobs then."
      : "The scaler starts another worker if one is needed.";
  return ["It takes no further job, finishes the jobs it has, and stops.", after];
}

export function killSentences(worker: Doomed): readonly string[] {
  return [
    "Its processes end at once (SIGKILL), as in a crash.",
    jobsInWords(worker),
    "The scaler starts another worker if one is needed.",
  ];
}

/** Maximum silence of a worker (`leaseMs`), unless the service was started with another one. */
export const LEASE_MS = 15_000;

export function freezeSentences(worker: Doomed): readonly string[] {
  if (worker.launcher === "server") {
    return [
      "It stops where it is (SIGSTOP) and does not answer.",
      "Its health checks fail: it gets no requests until it answers again.",
      "Its requests wait until it continues, or until they time out.",
    ];
  }
  const lease = formatDuration(LEASE_MS);
  return [
    "It stops where it is (SIGSTOP, or a paused container) and is silent.",
    `If it is thawed within ${lease}, it continues undisturbed.`,
    `After ${lease} its leases run out: it counts as lost and is killed. ${jobsInWords(worker)}`,
    "The scaler starts another worker if one is needed.",
  ];
}

function jobsInWords({ jobs, endpointId }: Doomed): string {
  const tries = `if retries.workerLost of ${endpointId} has one left, and fail otherwise`;
  if (jobs.length === 0) return "It has no job to recover now.";
  if (jobs.length === 1) {
    return `Its job goes back into the queue for another try ${tries.replace("fail", "fails")}.`;
  }
  return `Its ${jobs.length} jobs go back into the queue for another try ${tries}.`;
}
