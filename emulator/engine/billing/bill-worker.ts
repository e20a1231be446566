/** Begins to bill a worker when it is first ready, at the price of its hardware (live: starting is free). */
import { perHour } from "../../core/billing/prices.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import type { WorkerHandle } from "../workers/worker-handle.ts";

/** Default number of virtual processors of a worker without a GPU (live). */
const DEFAULT_VCPU_COUNT = 2;

/** Does nothing for a worker of a deleted endpoint. */
export function beginToBill(engine: CatalogPort, worker: WorkerHandle): void {
  const endpoint = engine.directory.findEndpoint(worker.endpointId);
  const template = endpoint && engine.directory.findTemplate(endpoint.templateId);
  if (!endpoint || !template) return;
  const wanted = endpoint.computeType === "GPU" ? endpoint.gpuTypeIds[0] : undefined;
  const gpuTypeId = worker.gpus[0]?.typeId ?? wanted;
  const { gpuCount, vcpuCount = DEFAULT_VCPU_COUNT } = endpoint;
  engine.usage.began({
    kind: "worker",
    podId: worker.id,
    endpointId: endpoint.id,
    templateId: template.id,
    imageName: template.imageName,
    gpuTypeId,
    dataCenterId: endpoint.dataCenterIds?.[0],
    perHour: perHour(engine.prices, { gpuTypeId, gpuCount, vcpuCount }),
    diskInGb: template.containerDiskInGb,
  });
}
