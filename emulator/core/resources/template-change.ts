/** Applies a change to a template, and says whether the workers made of it are to be replaced. Pure. */
import { defined } from "../../../runtime/protocol/without-undefined.ts";
import { changedFields } from "../input/changed-fields.ts";
import { invalidRequest } from "../service-error.ts";
import { type TemplateChanges, type TemplateInput, volumeProblem } from "./template-input.ts";
import type { Template } from "./template.ts";

/** A change of these leaves the workers alone; any other field rolls: new workers take their place (spec). */
export const TEMPLATE_FIELDS_IN_PLACE: ReadonlySet<string> = new Set<keyof TemplateInput>([
  "isPublic",
  "name",
  "readme",
  "volumeInGb",
  "volumeMountPath",
]);

/** The same of what newer interfaces keep: nothing that workers are started with. */
const NEWER_FIELDS_IN_PLACE: ReadonlySet<string> = new Set<keyof Template>([
  "allowedCudaVersions",
  "boundTo",
  "createdAt",
  "dockerArgs",
  "startJupyter",
  "startSsh",
]);

/**
 * Answers `present` itself if nothing changes.
 *
 * @throws ServiceError `invalid_request` if the template as a whole would make no sense
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

/** Whether workers that were made of `before` are to be replaced. */
export function templateRolls(before: Template, after: Template): boolean {
  return changedFields(before, after).some(
    (field) => !TEMPLATE_FIELDS_IN_PLACE.has(field) && !NEWER_FIELDS_IN_PLACE.has(field),
  );
}
