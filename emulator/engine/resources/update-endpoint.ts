/** Changes an endpoint: its scaling in place, everything else by replacing its workers. */
import { changeEndpoint } from "../../core/resources/endpoint-change.ts";
import type { EndpointChanges } from "../../core/resources/endpoint-input.ts";
import type { Endpoint } from "../../core/resources/endpoint.ts";
import type { Uses } from "../context.ts";
import { endpointNotFound } from "./directory.ts";
import { checkVolumes } from "./endpoint-volumes.ts";
import { warnOfUnknownGpus } from "../workers/gpus/warn-of-unknown-gpus.ts";
import { serverless } from "./manage-endpoints.ts";

/**
 * Answers the endpoint as it is then. Jobs submitted from now on have its new `executionTimeoutMs`; those there are keep
 * theirs.
 *
 * @throws ServiceError endpoint_not_found; invalid_request also for a template that is missing or a Pod's, or a missing
 * volume; storage_full
 */
export async function updateEndpoint(
  engine: Uses<"directory" | "endpointChanged" | "events" | "log" | "steps">,
  id: string,
  changes: EndpointChanges,
): Promise<Endpoint> {
  const { endpoint, hasChanged } = await engine.steps.commit((step) => {
    // One that is being deleted is still stored for a while.
    engine.directory.endpoint(id);
    const present = step.record("endpoint", id);
    if (!present) throw endpointNotFound(id);
    const changed = changeEndpoint(present, changes);
    const { templateId } = changed;
    if (templateId !== present.templateId) {
      serverless(step.record("template", templateId), templateId);
    }
    checkVolumes(step, changed);
    if (changed !== present) step.putRecord("endpoint", id, changed);
    return { endpoint: changed, hasChanged: changed !== present };
  });
  warnOfUnknownGpus(engine, changes.gpuTypeIds ?? [], { endpointId: id });
  if (hasChanged) engine.events.publish({ type: "endpoint", endpointId: id, change: "changed" });
  engine.endpointChanged(id);
  return endpoint;
}
