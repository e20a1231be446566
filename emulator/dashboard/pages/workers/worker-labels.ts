/** What is said of workers. */
import { formatDuration, formatSize } from "../../format.ts";
import type { OperatedWorker } from "../../service/generated/answers.ts";

type State = OperatedWorker["state"];

/** In the order in which a worker has them. */
export const RUNNING_STATES = [
  "initializing",
  "ready",
  "draining",
  "unhealthy",
  "lost",
] as const satisfies readonly State[];

/** The GPUs it has, or `CPU`: `2 × NVIDIA L4`; simulated ones are told as such. */
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
  left: "left as it was told to",
  not_initialized: "did not become ready",
  unasked: "ended unasked",
  lost: "was lost: it said nothing for too long",
} as const satisfies Record<NonNullable<OperatedWorker["end"]>, string>;

/** Of one that has ended: `ended unasked: it was ended by SIGKILL`. */
export function endOf({ end, exit }: Pick<OperatedWorker, "end" | "exit">): string {
  const how = end === undefined ? "ended" : ENDS[end];
  return exit === undefined || end === "left" ? how : `${how}: it ${exit.message}`;
}

/** Whether it ended other than it should have. */
export function isBadEnd({ end }: Pick<OperatedWorker, "end">): boolean {
  return end !== undefined && end !== "left";
}

/** One stage of its start; `toMs` undefined: it is under way. Instants of service time, ms. */
export interface StartStage {
  readonly name: "launch" | "boot" | "setup";
  readonly title: string;
  readonly fromMs: number;
  readonly toMs: number | undefined;
}

const TITLES = {
  launch: "its program was started",
  boot: "its program ran until its first message",
  setup: "its handler was loaded and set up",
} as const;

/** As far as the service saw them. Of one that ended before it was ready the last one ends with it. */
export function startStages(
  worker: Pick<
    OperatedWorker,
    "launcher" | "startedAt" | "pulledAt" | "bootedAt" | "readyAt" | "endedAt"
  >,
): readonly StartStage[] {
  const { launcher, startedAt, pulledAt, bootedAt, readyAt, endedAt } = worker;
  const marks = [
    ["launch", pulledAt],
    ["boot", bootedAt],
    ["setup", readyAt],
  ] as const;
  const stages: StartStage[] = [];
  let from = startedAt;
  for (const [index, [name, at]] of marks.entries()) {
    // A later one was seen: this one is over, and its end was not.
    if (at === undefined && marks.slice(index).some(([, later]) => later !== undefined)) continue;
    const to = at ?? endedAt;
    const toMs = to === undefined ? undefined : Date.parse(to);
    const title =
      name === "launch" && launcher === "container" ? "its image was pulled" : TITLES[name];
    stages.push({ name, title, fromMs: Date.parse(from), toMs });
    if (at === undefined) return stages;
    from = at;
  }
  return stages;
}

/** From its start until it was ready; undefined where it is not. */
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

/** Those of the endpoint and the state that are asked for; empty texts ask for all. */
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

/** What follows when it is drained, sentence by sentence. */
export function drainSentences(worker: Doomed): readonly string[] {
  const after =
    worker.launcher === "external"
      ? "Whoever has started it may start it again; it is welcome then."
      : "The scaler starts another worker if one is needed.";
  return ["It gets no further job, finishes those it has, and leaves.", after];
}

/** What follows when it is killed, sentence by sentence. */
export function killSentences(worker: Doomed): readonly string[] {
  return [
    "Its processes end at once (SIGKILL), as in a crash. The worker is not asked.",
    jobsInWords(worker),
    "The scaler starts another worker if one is needed.",
  ];
}

/** How long a worker may say nothing (`leaseMs`), unless the service was started with another time. */
export const LEASE_MS = 15_000;

/** What follows when it is frozen. */
export function freezeSentences(worker: Doomed): readonly string[] {
  if (worker.launcher === "server") {
    return [
      "It stops where it is (SIGSTOP) and answers nothing.",
      "Its health checks fail, so it is out of the rotation until it answers again.",
      "Requests that it has wait until it goes on, or until their time is over.",
    ];
  }
  const lease = formatDuration(LEASE_MS);
  return [
    "It stops where it is (SIGSTOP, or a paused container) and says nothing any more.",
    `Thawed within ${lease}, it goes on as if nothing had been.`,
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
