/** A worker as the management interface shows it: in the shape of a Pod, as far as it is known (live). */
import { iso } from "../../../core/time/iso.ts";
import type { Template } from "../../../core/resources/template.ts";
import type { WorkerHandle } from "../../../engine/workers/worker-handle.ts";
import type { ShownPod } from "../../operation/dialect.ts";

/** What the service wants of the worker: to run or to leave; a worker that has exited by itself is EXITED. */
type DesiredStatus = "RUNNING" | "EXITED" | "TERMINATED";

/** @param template the one of its endpoint, for an external worker */
export function workerBody(worker: WorkerHandle, template: Template | undefined): ShownPod {
  const madeOf = worker.template ?? template;
  return {
    id: worker.id,
    desiredStatus: desiredStatusOf(worker),
    endpointId: worker.endpointId,
    // The version of the endpoint that the worker was started for: behind the endpoint's while it is being replaced.
    slsVersion: worker.endpointVersion,
    lastStartedAt: iso(worker.startedAt),
    ...gpuOf(worker),
    ...(madeOf && containerOf(madeOf)),
  };
}

function gpuOf({ gpus }: WorkerHandle) {
  const id = gpus[0]?.typeId;
  return id === undefined ? {} : { gpu: { id, displayName: id, count: gpus.length } };
}

/** The variables are those of the template; the addresses and keys that a worker gets in addition are not shown. */
function containerOf(template: Template): Readonly<Record<string, unknown>> {
  return {
    templateId: template.id,
    image: template.imageName,
    containerDiskInGb: template.containerDiskInGb,
    containerRegistryAuthId: template.containerRegistryAuthId,
    dockerEntrypoint: template.dockerEntrypoint,
    dockerStartCmd: template.dockerStartCmd,
    env: template.env,
    ports: template.ports,
    volumeInGb: template.volumeInGb,
    volumeMountPath: template.volumeMountPath,
  };
}

function desiredStatusOf(worker: WorkerHandle): DesiredStatus {
  switch (worker.state) {
    case "draining":
    case "lost":
      return "TERMINATED";
    case "unhealthy":
      return worker.hasProcess ? "RUNNING" : "EXITED";
    default:
      return "RUNNING";
  }
}
