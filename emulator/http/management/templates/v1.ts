/** Operations on templates. */
import {
  readTemplateChanges,
  readTemplateInput,
  templateChangesSchema,
  templateInputSchema,
} from "../../../core/resources/templates/template-input.ts";
import {
  isEndpointBound,
  type Template,
  withoutNewerFields,
} from "../../../core/resources/templates/template.ts";
import {
  createTemplate,
  deleteTemplate,
  listTemplates,
} from "../../../engine/resources/templates/manage-templates.ts";
import { updateTemplate } from "../../../engine/resources/templates/update-template.ts";
import { templateQuery, templateSchema } from "../../schemas/template.ts";
import type { Flags } from "../../../core/input/query-parameters.ts";
import { Resource } from "../v1/resource.ts";

const template = new Resource({
  tag: "templates",
  path: "/v1/templates",
  id: "templateId",
  name: "The template",
  schema: templateSchema,
  flags: templateQuery,
  show: (shown: Template, { dialect }) => dialect.template(withoutNewerFields(shown)),
});

export const TEMPLATE_OPERATIONS = {
  /** `POST /templates`: creates a template (spec). */
  createTemplate: template.creation(
    { takes: templateInputSchema, errors: ["template_name_taken", "storage_full"] },
    (engine, body) => createTemplate(engine, readTemplateInput(body)),
  ),
  /** `GET /templates`: the templates created over this interface, and others on request, as a bare array (spec). */
  listTemplates: template.listing("In order of their names.", async (engine, flags) =>
    listTemplates(engine).filter((each) => isListed(each, flags)),
  ),
  /** `GET /templates/{id}`: one template (spec). */
  readTemplate: template.reading(["template_not_found"], async ({ directory }, id) =>
    directory.template(id),
  ),
  /**
   * `PATCH /templates/{id}`: changes a template and replaces the workers of its endpoints, unless the change can be made in
   * place (live).
   */
  updateTemplate: template.change(
    {
      takes: templateChangesSchema,
      errors: ["template_not_found", "template_name_taken", "storage_full"],
    },
    (engine, id, body) => updateTemplate(engine, id, readTemplateChanges(body)),
  ),
  /** `DELETE /templates/{id}`: deletes a template that no endpoint uses (spec). */
  deleteTemplate: template.deletion(
    ["template_not_found", "in_use", "storage_full"],
    deleteTemplate,
  ),
};

/** Further templates in a list, beside the user's own; official ones have a second name (live). */
function isListed(listed: Template, flags: Flags<keyof typeof templateQuery.shape>): boolean {
  const { includePlatformTemplates, includeRunpodTemplates } = flags;
  if (listed.isPlatform && !includePlatformTemplates && !includeRunpodTemplates) return false;
  if (listed.isPublic && !flags.includePublicTemplates) return false;
  return flags.includeEndpointBoundTemplates === true || !isEndpointBound(listed);
}
