/** Templates that were created with an endpoint and belong to it: containers described without a template (live). */
import { defined } from "../../../../runtime/protocol/without-undefined.ts";
import { changedFields } from "../../../core/input/changed-fields.ts";
import { changeTemplate } from "../../../core/resources/templates/template-change.ts";
import { templateOf } from "../../../core/resources/templates/template-fields.ts";
import type { ContainerChanges } from "../../../core/resources/templates/template-input.ts";
import { containerOf, type Template } from "../../../core/resources/templates/template.ts";
import type { Endpoint } from "../../../core/resources/endpoints/endpoint.ts";
import { invalidRequest } from "../../../core/service-error.ts";
import type { Step } from "../../steps/step.ts";
import { checkRegistryAuth } from "./manage-templates.ts";
import { serverless } from "./serverless-template.ts";

/** The container of an endpoint's workers, described without a template. */
export interface InlineContainer {
  /**
   * Absent fields come from the copied template, whose variables are merged with these (live); otherwise from the present
   * container; otherwise from the defaults.
   */
  readonly container: ContainerChanges;
  /** A template that is copied once; later changes of it do not affect the endpoint (live). */
  readonly copyOf?: string | undefined;
}

type Named = Pick<Endpoint, "id" | "name" | "computeType">;

export interface Making {
  readonly endpoint: Named;
  readonly templateId: string;
  /** Now, ISO 8601. */
  readonly at: string;
}

/** Stores a template for a new endpoint. @throws ServiceError invalid_request */
export function makeBoundTemplate(step: Step, inline: InlineContainer, making: Making): Template {
  return put(step, completed(mergedContainer(step, inline, undefined)), making);
}

/**
 * Changes the container of an endpoint's workers: in its own template if it has an unshared one, otherwise in a copy that
 * becomes its own. Returns the template that the endpoint gets, which may be the present one.
 * @throws ServiceError invalid_request
 */
export function changeContainer(
  step: Step,
  present: Template,
  inline: InlineContainer,
  making: Making,
): Template {
  const wanted = mergedContainer(step, inline, present);
  const container = completed(wanted);
  if (!isOwn(step, present, making.endpoint.id)) {
    const isSame = changedFields<ContainerChanges>(containerOf(present), container).length === 0;
    return isSame ? present : put(step, container, making);
  }
  const { containerRegistryAuthId = "" } = container;
  const changed = changeTemplate(present, { ...container, containerRegistryAuthId });
  checkRegistryAuth(step, changed.containerRegistryAuthId);
  if (changed !== present) step.putRecord("template", changed.id, changed);
  return changed;
}

/** A template created with an endpoint has the endpoint's name (live). */
export function renameBoundTemplate(step: Step, { id, name, templateId }: Endpoint): void {
  const template = step.record("template", templateId);
  if (template?.boundTo !== id) return;
  step.putRecord("template", templateId, {
    ...template,
    name: freeName(step, { id, name }, template),
  });
}

/** Deletes a template together with its endpoint; one with further users becomes independent. */
export function deleteBoundTemplates(step: Step, endpointId: string): void {
  for (const template of step.records("template")) {
    if (template.boundTo !== endpointId) continue;
    const { boundTo: _, ...free } = template;
    if (isUsed(step, template.id, endpointId)) step.putRecord("template", template.id, free);
    else step.deleteRecord("template", template.id);
  }
}

/** Whether the template was created with the endpoint, by itself or in a file, and has no other users. */
function isOwn(step: Step, template: Template, endpointId: string): boolean {
  const isOfIt = template.boundTo === endpointId || template.id === endpointId;
  return isOfIt && !isUsed(step, template.id, endpointId);
}

function isUsed(step: Step, templateId: string, exceptEndpointId: string): boolean {
  const isUser = (user: { readonly templateId?: string | undefined }) =>
    user.templateId === templateId;
  return (
    step.records("endpoint").some((each) => each.id !== exceptEndpointId && isUser(each)) ||
    step.records("pod").some(isUser)
  );
}

/** @param present the present container, for a change */
function mergedContainer(
  step: Step,
  { container, copyOf }: InlineContainer,
  present: Template | undefined,
): ContainerChanges {
  const copied =
    copyOf === undefined ? undefined : serverless(step.record("template", copyOf), copyOf);
  const base = copied ?? present;
  if (base === undefined) return container;
  const env = container.env && { ...copied?.env, ...container.env };
  return { ...containerOf(base), ...defined(container), ...(env && { env }) };
}

/** Removes an empty id of credentials. @throws ServiceError invalid_request */
function completed(container: ContainerChanges) {
  const { imageName, containerRegistryAuthId = "", ...rest } = defined(container);
  if (imageName === undefined) throw invalidRequest(["imageName is required"]);
  return { ...rest, imageName, ...(containerRegistryAuthId !== "" && { containerRegistryAuthId }) };
}

function put(step: Step, container: ReturnType<typeof completed>, making: Making): Template {
  const { endpoint, templateId, at } = making;
  checkRegistryAuth(step, container.containerRegistryAuthId);
  const template = templateOf({
    ...container,
    id: templateId,
    name: freeName(step, endpoint),
    category: endpoint.computeType === "CPU" ? "CPU" : "NVIDIA",
    boundTo: endpoint.id,
    createdAt: at,
  });
  step.putRecord("template", templateId, template);
  return template;
}

/** `<name>-template` (live); names of endpoints may repeat, names of templates must not. */
function freeName(step: Step, { id, name }: Pick<Named, "id" | "name">, own?: Template): string {
  const wanted = `${name}-template`;
  const isTaken = step
    .records("template")
    .some((each) => each.name === wanted && each.id !== own?.id);
  return isTaken ? `${wanted}-${id}` : wanted;
}
