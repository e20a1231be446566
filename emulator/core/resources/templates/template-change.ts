/** Applies a change to a template, and decides whether it replaces workers. Pure. */
import { defined } from "../../../../runtime/protocol/without-undefined.ts";
import { changedFields } from "../../input/changed-fields.ts";
import { invalidRequest } from "../../service-error.ts";
import { namesInPlace } from "../fields.ts";
import { NEWER_TEMPLATE_FIELDS, TEMPLATE_FIELDS } from "./template-fields.ts";
import { type TemplateChanges, volumeProblem } from "./template-input.ts";
import type { Template } from "./template.ts";

/** Fields that can be changed without new workers; any other change replaces them (spec). */
const IN_PLACE: ReadonlySet<string> = new Set([
  ...namesInPlace({ ...TEMPLATE_FIELDS, ...NEWER_TEMPLATE_FIELDS }),
  // Entry point and command are compared instead of their text.
  "dockerArgs",
  "boundTo",
  "createdAt",
]);

/**
 * Returns `present` itself if nothing changes.
 * @throws ServiceError `invalid_request` if the resulting template is not valid as a whole
 */
export function changeTemplate(present: Template, changes: TemplateChanges): Template {
  const { containerRegistryAuthId = present.containerRegistryAuthId, ...others } = defined(changes);
  const wanted: Template = {
    ...present,
    ...others,
    containerRegistryAuthId: containerRegistryAuthId === "" ? undefined : containerRegistryAuthId,
  };
  const problem = volumeProblem(wanted);
  if (problem !== undefined) throw invalidRequest([`volumeInGb ${problem}`]);
  return changedFields(present, wanted).length === 0 ? present : wanted;
}

/** Whether workers made from `before` have to be replaced. */
export function templateRolls(before: Template, after: Template): boolean {
  return changedFields(before, after).some((field) => !IN_PLACE.has(field));
}
