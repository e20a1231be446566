/** Changes a template, and with it the version of every endpoint that uses it. */
import { iso } from "../../../core/time/iso.ts";
import {
  changeTemplate,
  templateRolls,
} from "../../../core/resources/templates/template-change.ts";
import type { TemplateChanges } from "../../../core/resources/templates/template-input.ts";
import type { Template } from "../../../core/resources/templates/template.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { TimePort } from "../../time/time-port.ts";
import type { TellPort } from "../../observe/tell-port.ts";
import type { WakePort } from "../../steps/wake-port.ts";
import { templateNotFound } from "../directory.ts";
import { refuseIfUsed } from "../in-use.ts";
import { checkName, checkRegistryAuth } from "./manage-templates.ts";
import { rollEndpoints } from "../endpoints/put-endpoint.ts";

/**
 * Returns the changed template. Replaces the workers of its endpoints, unless the change can be made in place.
 * @throws ServiceError template_not_found, template_name_taken, in_use (a template of an endpoint cannot become a template for
 * pods), invalid_request, storage_full
 */
export async function updateTemplate(
  engine: StepPort & TimePort & TellPort & WakePort,
  id: string,
  changes: TemplateChanges,
): Promise<Template> {
  const at = iso(engine.clock.now());
  const { template, endpoints } = await engine.steps.commit((step) => {
    const present = step.record("template", id);
    if (!present) throw templateNotFound(id);
    const changed = changeTemplate(present, changes);
    if (changed.name !== present.name) checkName(step, changed.name);
    if (changed.containerRegistryAuthId !== present.containerRegistryAuthId) {
      checkRegistryAuth(step, changed.containerRegistryAuthId);
    }
    if (present.isServerless && !changed.isServerless)
      refuseIfUsed(step, `the template "${present.name}"`, {
        endpoint: ({ templateId }) => templateId === id,
        pod: () => false,
      });
    if (changed !== present) step.putRecord("template", id, changed);
    const rolls = templateRolls(present, changed);
    return { template: changed, endpoints: rolls ? rollEndpoints(step, at, present) : [] };
  });
  for (const endpoint of endpoints) {
    engine.tell({ type: "endpoint", endpointId: endpoint.id, change: "changed" });
    engine.endpointChanged(endpoint.id);
  }
  return template;
}
