/** Schemas of templates in the management interface. */
import { z } from "zod";
import { flagParameter } from "../../core/input/query-parameters.ts";
import { answerShape } from "../../core/resources/fields.ts";
import { TEMPLATE_FIELDS } from "../../core/resources/templates/template-fields.ts";
import { answered } from "./contract.ts";

export const templateSchema = answered("Template", {
  id: z.string(),
  ...answerShape(TEMPLATE_FIELDS),
  volumeInGb: z.int(),
  isPlatform: z.boolean(),
  earned: z.number(),
  runtimeInMin: z.int(),
});

export const templateQuery = z.object({
  includeEndpointBoundTemplates: flagParameter("`true`: includes templates of handler files."),
  includePublicTemplates: flagParameter("`true`: includes templates with `isPublic`."),
  includePlatformTemplates: flagParameter("`true`: includes templates with `isPlatform`."),
  includeRunpodTemplates: flagParameter("Another name of `includePlatformTemplates`."),
});
