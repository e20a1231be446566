/** Creates, lists, reads and deletes templates. */
import { iso } from "../../../core/time/iso.ts";
import type { Pod } from "../../../core/pods/pod.ts";
import type { Endpoint } from "../../../core/resources/endpoints/endpoint.ts";
import { valueInWords } from "../../../core/input/problem-messages.ts";
import { invalidRequest, ServiceError } from "../../../core/service-error.ts";
import type { TemplateInput } from "../../../core/resources/templates/template-input.ts";
import type { Template } from "../../../core/resources/templates/template.ts";
import type { Step } from "../../steps/step.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { TimePort } from "../../time/time-port.ts";
import type { CatalogPort } from "../catalog-port.ts";
import { refuseIfUsed } from "../in-use.ts";

const ID_LENGTH = 10;

/** @throws ServiceError template_name_taken; invalid_request for a container registry auth that is missing; storage_full */
export async function createTemplate(
  engine: StepPort & TimePort,
  input: TemplateInput,
): Promise<Template> {
  const id = engine.random.shortId(ID_LENGTH);
  const createdAt = iso(engine.clock.now());
  const own = { isPlatform: false, earned: 0, runtimeInMin: 0, createdAt };
  const template: Template = { id, ...input, ...own };
  await engine.steps.commit((step) => {
    checkName(step, template.name);
    checkRegistryAuth(step, template.containerRegistryAuthId);
    step.putRecord("template", id, template);
  });
  return template;
}

/** In order of name. */
export function listTemplates(engine: CatalogPort): readonly Template[] {
  return engine.directory.templates().toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** @throws ServiceError template_not_found; in_use while an endpoint has it */
export async function deleteTemplate(engine: StepPort & CatalogPort, id: string): Promise<void> {
  const { name } = engine.directory.template(id);
  await engine.steps.commit((step) => {
    const isUser = (user: Endpoint | Pod) => user.templateId === id;
    refuseIfUsed(step, `the template "${name}"`, { endpoint: isUser, pod: isUser });
    step.deleteRecord("template", id);
  });
}

/** @throws ServiceError template_name_taken */
export function checkName(step: Step, name: string): void {
  for (const other of step.records("template")) {
    if (other.name === name) throw nameTaken(name);
  }
}

/** @throws ServiceError invalid_request for an unknown container registry auth */
export function checkRegistryAuth(step: Step, id: string | undefined): void {
  if (id === undefined || step.record("registryAuth", id) !== undefined) return;
  throw invalidRequest([
    `containerRegistryAuthId names no container registry auth: ${valueInWords(id)}`,
  ]);
}

function nameTaken(name: string): ServiceError {
  return new ServiceError("template_name_taken", `there is already a template named "${name}"`);
}
