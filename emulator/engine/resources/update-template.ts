/** Changes a template, and with it the version of every endpoint that uses it. */
import type { Endpoint } from "../../core/resources/endpoint.ts";
import { rolled } from "../../core/resources/endpoint-change.ts";
import { changeTemplate, templateRolls } from "../../core/resources/template-change.ts";
import type { TemplateChanges } from "../../core/resources/template-input.ts";
import type { Template } from "../../core/resources/template.ts";
import type { StoreTransaction } from "../../store/store.ts";
import type { Uses } from "../context.ts";
import { templateNotFound } from "./endpoint-directory.ts";
import { checkName, checkRegistryAuth } from "./manage-templates.ts";

/**
 * Answers the template as it is then. Unless the change is one of those made in place, the workers of its endpoints are
 * replaced.
 *
 * @throws ServiceError template_not_found, template_name_taken, invalid_request, storage_full
 */
export async function updateTemplate(
  engine: Uses<"directory" | "endpointChanged" | "events" | "steps">,
  id: string,
  changes: TemplateChanges,
): Promise<Template> {
  const { template, endpoints } = await engine.steps.commit(async (tx) => {
    const present = await tx.record("template", id);
    if (!present) throw templateNotFound(id);
    const changed = changeTemplate(present, changes);
    if (changed.name !== present.name) await checkName(tx, changed.name);
    if (changed.containerRegistryAuthId !== present.containerRegistryAuthId) {
      await checkRegistryAuth(tx, changed.containerRegistryAuthId);
    }
    if (changed !== present) await tx.putRecord("template", id, changed);
    const rolls = templateRolls(present, changed);
    return { template: changed, endpoints: rolls ? await rollEndpoints(tx, id) : [] };
  });
  engine.directory.keepTemplate(template);
  for (const endpoint of endpoints) {
    engine.directory.replaceEndpoint(endpoint);
    engine.events.publish({ type: "endpoint", endpointId: endpoint.id, change: "changed" });
    engine.endpointChanged(endpoint.id);
  }
  return template;
}

/** Stores new versions of the template's endpoints, and answers them. */
export async function rollEndpoints(
  tx: StoreTransaction,
  templateId: string,
): Promise<readonly Endpoint[]> {
  const endpoints = await tx.records("endpoint");
  const users = endpoints.filter((endpoint) => endpoint.templateId === templateId).map(rolled);
  for (const endpoint of users) await tx.putRecord("endpoint", endpoint.id, endpoint);
  return users;
}
