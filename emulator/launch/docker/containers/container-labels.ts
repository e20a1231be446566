/** The labels of an emulator's containers, and the rule that finds leftovers by them. */
import { isAbandoned, ownedName } from "../../../../runtime/leftovers/owner.ts";
import type { WorkerOrder } from "../../launcher.ts";
import type { PodOrder } from "../../pod-launcher.ts";
import type { Listed } from "../container-engine.ts";

export const LABEL = {
  /** Digest of the emulator's data directory, unique among running emulators. */
  emulator: "sv.emulator",
  /** The process that made the container. */
  owner: "sv.owner",
  endpoint: "sv.endpoint",
  pod: "sv.pod",
  /** Id of the worker, or of the pod's run. */
  worker: "sv.worker",
  /** On volumes of pods, beside the emulator's digest. */
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

/** Labels of a pod's own volume, which is never a leftover: the next run of the pod needs it. */
export function podVolumeLabels(podId: string, emulator: string): Labels {
  return { [LABEL.emulator]: emulator, [LABEL.volumeOf]: podId };
}

export function networkLabels(emulator: string): Labels {
  return { [LABEL.emulator]: emulator, [LABEL.owner]: `${ownedName(OWNER_KIND)}-network` };
}

/** @param id of the worker, or of the pod's run */
export function ownLabels(id: string, emulator: string): Labels {
  return {
    [LABEL.emulator]: emulator,
    // A name of this form must end with something unique.
    [LABEL.owner]: `${ownedName(OWNER_KIND)}-${id}`,
    [LABEL.worker]: id,
  };
}

/**
 * True for a container without a running worker that this emulator, or an earlier one on its data directory, made. True also
 * for a container of another emulator if that emulator's process is dead, or has been unknown here for 8 days.
 *
 * @param isRun whether this emulator runs the worker with that id
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
