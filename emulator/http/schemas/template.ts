/** A template as the management interface answers it. */
import { z } from "zod";
import { flagParameter } from "../../core/input/query-parameters.ts";
import { TEMPLATE_CATEGORIES } from "../../core/resources/template.ts";
import { answered } from "./contract.ts";

export const templateSchema = answered("Template", {
  id: z.string(),
  name: z.string(),
  imageName: z.string(),
  category: z.enum(TEMPLATE_CATEGORIES),
  containerDiskInGb: z.int(),
  containerRegistryAuthId: z.string().optional(),
  dockerEntrypoint: z.array(z.string()),
  dockerStartCmd: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  isPublic: z.boolean(),
  isPlatform: z.boolean(),
  isServerless: z.boolean(),
  ports: z.array(z.string()),
  readme: z.string(),
  volumeInGb: z.int(),
  volumeMountPath: z.string(),
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
