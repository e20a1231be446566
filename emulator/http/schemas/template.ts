/** A template as the management interface answers it. */
import { z } from "zod";
import { flagParameter } from "../../core/input/query-parameters.ts";
import { answerShape } from "../../core/resources/fields.ts";
import { TEMPLATE_FIELDS } from "../../core/resources/template-fields.ts";
import { answered } from "./contract.ts";

export const templateSchema = answered("Template", {
  id: z.string(),
  ...answerShape(TEMPLATE_FIELDS),
  volumeInGb: z.int(),
  isPlatform: z.boolean(),
  earned: z.number(),
  runtimeInMin: z.int(),
});

/** What reading and listing templates can be asked for. */
export const templateQuery = z.object({
  includeEndpointBoundTemplates: flagParameter("`true`: templates of handler files as well."),
  includePublicTemplates: flagParameter("`true`: templates with `isPublic` as well."),
  includePlatformTemplates: flagParameter("`true`: templates with `isPlatform` as well."),
  includeRunpodTemplates: flagParameter("Another name of `includePlatformTemplates`."),
});
