/** Changes an endpoint: its scaling in place, everything else by replacing its workers. */
import { iso } from "../../../core/time/iso.ts";
import { changeEndpoint, rolled } from "../../../core/resources/endpoints/endpoint-change.ts";
import type { EndpointChanges } from "../../../core/resources/endpoints/endpoint-input.ts";
import type { Endpoint } from "../../../core/resources/endpoints/endpoint.ts";
import { templateRolls } from "../../../core/resources/templates/template-change.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { TimePort } from "../../time/time-port.ts";
import type { TellPort } from "../../observe/tell-port.ts";
import type { CatalogPort } from "../catalog-port.ts";
import type { WakePort } from "../../steps/wake-port.ts";
import type { Step } from "../../steps/step.ts";
import { endpointNotFound } from "../directory.ts";
import { checkVolumes } from "./endpoint-volumes.ts";
import { warnOfUnknownGpus } from "../../workers/gpus/warn-of-unknown-gpus.ts";
import {
  changeContainer,
  type InlineContainer,
  type Making,
  renameBoundTemplate,
} from "../templates/bound-template.ts";
import { putEndpoint } from "./put-endpoint.ts";
import { serverless } from "../templates/serverless-template.ts";

const TEMPLATE_ID_LENGTH = 10;

/**
 * Returns the changed endpoint. A new `executionTimeoutMs` applies to later submissions only.
 * @param inline the container of its workers, if it is described without a template
 * @throws ServiceError endpoint_not_found; invalid_request also for a missing template, a template of pods, or a missing
 *   volume; storage_full
 */
export async function updateEndpoint(
  engine: StepPort & TimePort & TellPort & CatalogPort & WakePort,
  id: string,
  changes: EndpointChanges,
  inline?: InlineContainer,
): Promise<Endpoint> {
  const newTemplateId = engine.random.shortId(TEMPLATE_ID_LENGTH);
  const at = iso(engine.clock.now());
  const { endpoint, hasChanged } = await engine.steps.commit((step) => {
    // An endpoint that is being deleted is still stored for a while.
    engine.directory.endpoint(id);
    const present = step.record("endpoint", id);
    if (!present) throw endpointNotFound(id);
    const { templateId } = present;
    const before = step.record("template", templateId);
    const changed = changeEndpoint(present, changes);
    if (changed.templateId !== templateId)
      serverless(step.record("template", changed.templateId), changed.templateId);
    checkVolumes(step, changed);
    const making = { endpoint: changed, templateId: newTemplateId, at };
    const reshaped = inline === undefined ? changed : reshape(step, changed, inline, making);
    if (reshaped !== present) putEndpoint(step, at, reshaped, before);
    if (reshaped.name !== present.name) renameBoundTemplate(step, reshaped);
    return { endpoint: reshaped, hasChanged: reshaped !== present };
  });
  warnOfUnknownGpus(engine, changes.gpuTypeIds ?? [], { endpointId: id });
  if (hasChanged) engine.tell({ type: "endpoint", endpointId: id, change: "changed" });
  engine.endpointChanged(id);
  return endpoint;
}

/** The endpoint with its container changed; with the next version if that replaces its workers. */
function reshape(
  step: Step,
  endpoint: Endpoint,
  inline: InlineContainer,
  making: Making,
): Endpoint {
  const { id, templateId, version } = endpoint;
  const present = serverless(step.record("template", templateId), templateId);
  const template = changeContainer(step, present, inline, making);
  if (!templateRolls(present, template)) return endpoint;
  const isRolled = version > (step.record("endpoint", id)?.version ?? 0);
  const reshaped = { ...endpoint, templateId: template.id };
  return isRolled ? reshaped : rolled(reshaped);
}
