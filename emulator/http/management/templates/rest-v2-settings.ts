/** Templates in the second version of REST, and as the fields of ours (live). Pure. */
import { z } from "zod";
import { defined } from "../../../../runtime/protocol/without-undefined.ts";
import { imageName, NAME_MAX_CHARACTERS } from "../../../core/input/input-fields.ts";
import { CUDA_VERSION } from "../../../core/resources/endpoint-input.ts";
import { TEMPLATE_CATEGORIES, type Template } from "../../../core/resources/template.ts";
import {
  CONTAINER_DEFAULTS,
  type TemplateChanges,
  type TemplateInput,
  volumeProblem,
} from "../../../core/resources/template-input.ts";
import { invalidRequest } from "../../../core/service-error.ts";
import {
  containerAnswer,
  containerBody,
  containerFields,
  containerOf,
} from "./rest-v2-container.ts";

const PERSISTENT_MIN_GB = 10;

const mounts = z.strictObject({
  persistent: z
    .strictObject({
      size: z.int().min(PERSISTENT_MIN_GB).meta({ description: "GB." }),
      path: z.string().startsWith("/"),
    })
    .optional()
    .meta({ description: "A volume of the pod's own; absent: none." }),
});

const cudaVersion = z.string().regex(CUDA_VERSION);

const changeable = {
  name: z.string().min(1).max(NAME_MAX_CHARACTERS),
  ...containerFields,
  serverless: z.boolean().optional(),
  public: z.boolean().optional(),
  category: z.enum(TEMPLATE_CATEGORIES).optional(),
  mounts: mounts.optional(),
  startSsh: z.boolean().optional(),
  startJupyter: z.boolean().optional(),
  allowedCudaVersions: z.array(cudaVersion).optional(),
};

/** The body of `POST /v2/templates`. */
export const createTemplateSchema = z
  .strictObject({ ...changeable, image: imageName() })
  .meta({ id: "CreateTemplate" });

/** The body of `PATCH /v2/templates/{id}`. */
export const updateTemplateSchema = z
  .strictObject({ ...changeable, name: changeable.name.optional() })
  .meta({ id: "UpdateTemplate" });

export const templateSchemaV2 = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    ...containerAnswer,
    serverless: z.boolean(),
    public: z.boolean(),
    category: z.enum(TEMPLATE_CATEGORIES),
    mounts: z.strictObject({
      persistent: z.strictObject({ size: z.int(), path: z.string() }).optional(),
    }),
    startSsh: z.boolean(),
    startJupyter: z.boolean(),
    allowedCudaVersions: z.array(z.string()),
  })
  .meta({ id: "Template" });

/** @throws ServiceError `invalid_request` */
export function templateInputOf(body: z.output<typeof createTemplateSchema>): TemplateInput {
  const { serverless = false, public: isPublic = false, category = "NVIDIA" } = body;
  const { containerRegistryAuthId, ...container } = containerOf(body);
  const volume = { volumeInGb: 0, ...volumeOf(body.mounts) };
  const problem = volumeProblem({ isServerless: serverless, ...volume });
  if (problem !== undefined) throw invalidRequest([`volumeInGb ${problem}`]);
  return {
    ...CONTAINER_DEFAULTS,
    // Only what is asked for is open (live).
    ports: [],
    ...defined(container),
    imageName: body.image,
    ...(containerRegistryAuthId !== undefined &&
      containerRegistryAuthId !== "" && { containerRegistryAuthId }),
    ...volume,
    ...newerFieldsOf(body),
    name: body.name,
    isServerless: serverless,
    isPublic,
    category,
    readme: "",
  };
}

/** @throws ServiceError `invalid_request` */
export function templateChangesOf(body: z.output<typeof updateTemplateSchema>): TemplateChanges {
  const { name, serverless: isServerless, public: isPublic, category } = body;
  return {
    ...containerOf(body),
    ...defined({ name, isServerless, isPublic, category }),
    // Without a volume in it, it changes nothing (live).
    ...volumeOf(body.mounts),
    ...newerFieldsOf(body),
  };
}

export function templateBodyV2(template: Template) {
  const { volumeInGb, volumeMountPath } = template;
  return {
    id: template.id,
    name: template.name,
    ...containerBody(template),
    serverless: template.isServerless,
    public: template.isPublic,
    category: template.category,
    mounts: volumeInGb === 0 ? {} : { persistent: { size: volumeInGb, path: volumeMountPath } },
    startSsh: template.startSsh ?? true,
    startJupyter: template.startJupyter ?? true,
    allowedCudaVersions: template.allowedCudaVersions ?? [],
  };
}

function volumeOf(written: z.output<typeof mounts> | undefined) {
  const { size, path } = written?.persistent ?? {};
  return defined({ volumeInGb: size, volumeMountPath: path });
}

function newerFieldsOf(body: Pick<Template, "startSsh" | "startJupyter" | "allowedCudaVersions">) {
  const { startSsh, startJupyter, allowedCudaVersions } = body;
  return defined({ startSsh, startJupyter, allowedCudaVersions });
}
