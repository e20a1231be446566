/** The labels by which containers are known to be this emulator's, and which of them nobody needs any more. */
import { isAbandoned, ownedName } from "../../../../runtime/leftovers/owner.ts";
import type { WorkerOrder } from "../../launcher.ts";
import type { PodOrder } from "../../pod-launcher.ts";
import type { Listed } from "../container-engine.ts";

export const LABEL = {
  /** The emulator's data directory, as a digest: no two emulators that run have the same. */
  emulator: "sv.emulator",
  /** The process that started it. */
  owner: "sv.owner",
  endpoint: "sv.endpoint",
  pod: "sv.pod",
  /** The worker's id, or that of the pod's run. */
  worker: "sv.worker",
  /** On volumes of pods, with the emulator's digest as on its containers. */
  volumeOf: "sv.volume-of",
} as const;

const OWNER_KIND = "sv";

type Labels = Readonly<Record<string, string>>;

export function labelsOf(
  { workerId, endpoint }: Pick<WorkerOrder, "workerId" | "endpoint">,
  emulator: string,
): Labels {
  return { ...ownLabels(workerId, emulator), [LABEL.endpoint]: endpoint.id };
}

export function podLabels({ pod, runId }: PodOrder, emulator: string): Labels {
  return { ...ownLabels(runId, emulator), [LABEL.pod]: pod.id };
}

/** Those of the volume that is a pod's own. It is nobody's leftover: the pod's next run needs it. */
export function podVolumeLabels(podId: string, emulator: string): Labels {
  return { [LABEL.emulator]: emulator, [LABEL.volumeOf]: podId };
}

/** Those of the network of an emulator's containers. */
export function networkLabels(emulator: string): Labels {
  return { [LABEL.emulator]: emulator, [LABEL.owner]: `${ownedName(OWNER_KIND)}-network` };
}

/** @param id the worker's, or that of the pod's run */
export function ownLabels(id: string, emulator: string): Labels {
  return {
    [LABEL.emulator]: emulator,
    // Names of this form have something behind the owner that makes them unique.
    [LABEL.owner]: `${ownedName(OWNER_KIND)}-${id}`,
    [LABEL.worker]: id,
  };
}

/**
 * True for one that this emulator, or an earlier one on its data directory, made and does not run; also for one of another
 * emulator whose process is dead, or of which nobody here knows and which is 8 days old.
 *
 * @param isRun whether this emulator uses the one of that worker
 */
export function isLeftover(
  { labels, createdAt }: Listed,
  emulator: string,
  isRun: (workerId: string) => boolean,
  now: number,
): boolean {
  if (labels[LABEL.emulator] === emulator) return !isRun(labels[LABEL.worker] ?? "");
  return isAbandoned(OWNER_KIND, labels[LABEL.owner] ?? "", createdAt, now);
}
