/** A worker in answers of the management interface: in the form of a pod, as far as its fields are known (live). */
import { iso } from "../../../core/time/iso.ts";
import type { Template } from "../../../core/resources/templates/template.ts";
import type { WorkerHandle } from "../../../engine/workers/worker-handle.ts";
import type { ShownPod } from "../../operation/dialect.ts";

/** The wanted state: to run or to leave; a worker that has exited by itself is EXITED. */
type DesiredStatus = "RUNNING" | "EXITED" | "TERMINATED";

/** @param template the endpoint's template, for an external worker */
export function workerBody(worker: WorkerHandle, template: Template | undefined): ShownPod {
  const madeOf = worker.template ?? template;
  return {
    id: worker.id,
    desiredStatus: desiredStatusOf(worker),
    endpointId: worker.endpointId,
    // Version of the endpoint that the worker was started for; lower than the endpoint's while the worker is being replaced.
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

/** Variables of the template; further addresses and keys that a worker gets are not shown. */
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
