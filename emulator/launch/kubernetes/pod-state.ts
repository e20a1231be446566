/** Reads a pod's status: whether its worker runs, its obstacle, and its end. Pure. */
import { platformAdvice, programProblem } from "../runs/start-causes.ts";
import type { LaunchObstacle, WorkerExit } from "../launcher.ts";
import { exitByCode, exitWith, notStarted } from "../runs/worker-exit.ts";
import type { ContainerEnd, SeenEvent, SeenPod } from "./seen-pod.ts";

export type PodState =
  | { readonly kind: "waiting"; readonly obstacle: LaunchObstacle | undefined }
  | { readonly kind: "running" }
  | { readonly kind: "ended" };

/** Reasons in the status of a pod that is being started. */
const ON_ITS_WAY: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing", ""]);

const IMAGE: ReadonlySet<string> = new Set([
  ...["ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"],
  ...["ImageInspectError", "RegistryUnavailable"],
]);

/** Reasons of a container that was created but could not run its program. */
const NO_PROGRAM: ReadonlySet<string> = new Set(["StartError", "ContainerCannotRun"]);

/** Reasons of an end that is not the worker's fault. */
const MOVED_AWAY: Readonly<Record<string, string>> = {
  Evicted: "was evicted",
  NodeLost: "was lost with its node",
  Preempting: "made room for another pod",
  Shutdown: "ended with its node",
  NodeShutdown: "ended with its node",
  Terminated: "ended with its node",
  PreemptionByScheduler: "made room for another pod",
  DeletionByTaintManager: "had to leave its node",
  EvictionByEvictionAPI: "was evicted",
  TerminationByKubelet: "was ended by its node",
  DeletionByPodGC: "was lost with its node",
};

const DELETED = "its pod, which was deleted from outside";

export function stateOf(pod: SeenPod): PodState {
  const { phase } = pod.status ?? {};
  if (phase === "Succeeded" || phase === "Failed" || endIn(pod) !== undefined)
    return { kind: "ended" };
  const state = pod.status?.containerStatuses?.[0]?.state;
  if (state?.running !== undefined) return { kind: "running" };
  return { kind: "waiting", obstacle: unscheduled(pod) ?? notMade(state?.waiting) };
}

/** How the pod's container ended. Undefined while it runs. */
export function endIn({ status }: SeenPod): ContainerEnd | undefined {
  return status?.containerStatuses?.[0]?.state?.terminated;
}

function unscheduled({ status }: SeenPod): LaunchObstacle | undefined {
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status !== "False") return undefined;
  const { message = scheduled.reason ?? "no reason is given" } = scheduled;
  return { reason: `no node takes its pod: ${plain(message)}`, isThrottled: true };
}

function notMade(
  waiting: { readonly reason?: string; readonly message?: string } | undefined,
): LaunchObstacle | undefined {
  const { reason = "", message = "" } = waiting ?? {};
  if (ON_ITS_WAY.has(reason)) return undefined;
  const what = IMAGE.has(reason) ? "its image cannot be pulled" : "its container cannot be made";
  const said = [reason, plain(message)].filter((each) => each !== "").join(": ");
  const advice = platformAdvice(message);
  return {
    reason: [`${what}: ${said}`, ...(advice === undefined ? [] : [advice])].join("; "),
    isThrottled: false,
  };
}

/** The obstacle in the newest event of a pod. Older warnings do not count. */
export function warnedOf(events: readonly SeenEvent[]): LaunchObstacle | undefined {
  const said = ({ lastTimestamp, eventTime }: SeenEvent) => lastTimestamp ?? eventTime ?? "";
  const newest = events.map(said).toSorted().at(-1);
  const last = events.filter((event) => said(event) === newest);
  if (last.some(({ type }) => type !== "Warning")) return undefined;
  const warning = last.find(({ reason }) => reason !== "FailedScheduling");
  return warning && notMade(warning);
}

/** The launcher's knowledge about a pod that has ended. */
export interface PodCourse {
  /** Whether the program was seen running. */
  readonly hasRun: boolean;
  /** Whether the service deleted the pod. */
  readonly wasAsked: boolean;
}

/** How the worker of a pod ended. */
export function exitOf(
  pod: SeenPod,
  { hasRun, wasAsked }: PodCourse,
  lastLogLines: readonly string[],
): WorkerExit {
  const end = endIn(pod);
  const moved = movedAway(pod);
  if (moved !== undefined) return exitWith({ goneWith: `its pod, which ${moved}`, lastLogLines });
  const isDeleted = pod.metadata.deletionTimestamp !== undefined && !wasAsked;
  if (isDeleted) return exitWith({ goneWith: DELETED, lastLogLines });
  if (end === undefined) return unexplained(pod, hasRun, lastLogLines);
  const { exitCode, reason = "", message = "" } = end;
  if (NO_PROGRAM.has(reason)) return notStarted(programProblem(plain(message) || reason));
  if (reason === "OOMKilled")
    return exitWith({ signal: "SIGKILL", outOfMemory: true, lastLogLines });
  return exitByCode(exitCode, lastLogLines, end.signal || undefined);
}

function movedAway({ status }: SeenPod): string | undefined {
  const disrupted = status?.conditions?.find(
    ({ type, status: is }) => type === "DisruptionTarget" && is === "True",
  );
  for (const said of [status, disrupted]) {
    const how = MOVED_AWAY[said?.reason ?? ""];
    if (how !== undefined) return said?.message ? `${how}: ${plain(said.message)}` : how;
  }
  return undefined;
}

/** How a pod ended whose container reported no end: its node refused it, or it was deleted first. */
function unexplained(
  { status }: SeenPod,
  hasRun: boolean,
  lastLogLines: readonly string[],
): WorkerExit {
  const { phase, reason = "", message = "" } = status ?? {};
  const said = [reason, plain(message)].filter((each) => each !== "").join(": ");
  if (phase !== "Failed" || said === "") return exitWith({ goneWith: DELETED, lastLogLines });
  if (!hasRun) return notStarted(`its pod failed on its node: ${said}`);
  return exitWith({ goneWith: `its pod, which failed: ${said}`, lastLogLines });
}

/** The message on one line, without its full stop. */
function plain(message: string): string {
  return message.replaceAll(/\s+/gu, " ").trim().replace(/\.$/u, "");
}
