/** Changes a template, and with it the version of every endpoint that uses it. */
import type { Endpoint } from "../../core/resources/endpoint.ts";
import { rolled } from "../../core/resources/endpoint-change.ts";
import { changeTemplate, templateRolls } from "../../core/resources/template-change.ts";
import type { TemplateChanges } from "../../core/resources/template-input.ts";
import type { Template } from "../../core/resources/template.ts";
import type { Step } from "../step.ts";
import type { Uses } from "../context.ts";
import { templateNotFound } from "./directory.ts";
import { checkName, checkRegistryAuth } from "./manage-templates.ts";

/**
 * Answers the template as it is then. Unless the change is one of those made in place, the workers of its endpoints are
 * replaced.
 *
 * @throws ServiceError template_not_found, template_name_taken, invalid_request, storage_full
 */
export async function updateTemplate(
  engine: Uses<"endpointChanged" | "events" | "steps">,
  id: string,
  changes: TemplateChanges,
): Promise<Template> {
  const { template, endpoints } = await engine.steps.commit((step) => {
    const present = step.record("template", id);
    if (!present) throw templateNotFound(id);
    const changed = changeTemplate(present, changes);
    if (changed.name !== present.name) checkName(step, changed.name);
    if (changed.containerRegistryAuthId !== present.containerRegistryAuthId) {
      checkRegistryAuth(step, changed.containerRegistryAuthId);
    }
    if (changed !== present) step.putRecord("template", id, changed);
    const rolls = templateRolls(present, changed);
    return { template: changed, endpoints: rolls ? rollEndpoints(step, id) : [] };
  });
  for (const endpoint of endpoints) {
    engine.events.publish({ type: "endpoint", endpointId: endpoint.id, change: "changed" });
    engine.endpointChanged(endpoint.id);
  }
  return template;
}

/** Stores new versions of the template's endpoints, and answers them. */
export function rollEndpoints(step: Step, templateId: string): readonly Endpoint[] {
  const endpoints = step.records("endpoint");
  const users = endpoints.filter((endpoint) => endpoint.templateId === templateId).map(rolled);
  for (const endpoint of users) step.putRecord("endpoint", endpoint.id, endpoint);
  return users;
}
