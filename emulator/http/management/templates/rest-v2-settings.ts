/** Templates in the second version of REST, and their form in our fields (live). Pure. */
import { z } from "zod";
import { defined } from "../../../../runtime/protocol/without-undefined.ts";
import { defaultsOf, inOrder } from "../../../core/resources/fields.ts";
import {
  NEWER_TEMPLATE_FIELDS,
  TEMPLATE_FIELDS,
} from "../../../core/resources/templates/template-fields.ts";
import {
  type TemplateChanges,
  type TemplateInput,
  volumeProblem,
} from "../../../core/resources/templates/template-input.ts";
import type { Template } from "../../../core/resources/templates/template.ts";
import { invalidRequest } from "../../../core/service-error.ts";
import { readBody, shownBelow, shownShape, takenShape } from "../rest-v2/fields.ts";
import { args, CONTAINER_ORDER, containerBody, containerOf } from "./rest-v2-container.ts";

const PERSISTENT_MIN_GB = 10;

const FIELDS = { ...TEMPLATE_FIELDS, ...NEWER_TEMPLATE_FIELDS };

const ORDER = ["id", "name", ...CONTAINER_ORDER, "serverless", "public", "category", "mounts"];

const mounts = z.strictObject({
  persistent: z
    .strictObject({
      size: z.int().min(PERSISTENT_MIN_GB).meta({ description: "GB." }),
      path: z.string().startsWith("/"),
    })
    .optional()
    .meta({ description: "A volume of the pod's own; absent: none." }),
});

function bodySchema(isNew: boolean) {
  const shape = { ...takenShape(FIELDS, "", isNew), args, mounts: mounts.optional() };
  return z.strictObject(inOrder(ORDER, shape));
}

/** The body of `POST /v2/templates`. */
export const createTemplateSchema = bodySchema(true).meta({ id: "CreateTemplate" });

/** The body of `PATCH /v2/templates/{id}`. */
export const updateTemplateSchema = bodySchema(false).meta({ id: "UpdateTemplate" });

export const templateSchemaV2 = z
  .strictObject(
    inOrder(ORDER, {
      id: z.string(),
      ...shownShape(FIELDS),
      args: z.string(),
      mounts: z.strictObject({
        persistent: z.strictObject({ size: z.int(), path: z.string() }).optional(),
      }),
    }),
  )
  .meta({ id: "Template" });

type Body = z.output<ReturnType<typeof bodySchema>>;

/** @throws ServiceError `invalid_request` */
export function templateInputOf(body: Body): TemplateInput {
  // The schema requires the first two; an empty id means none.
  const {
    name = "",
    imageName = "",
    containerRegistryAuthId = "",
    ...changes
  } = defined(templateChangesOf(body));
  const input = {
    ...defaultsOf(TEMPLATE_FIELDS),
    // No port is open by default (live).
    ...{ name, imageName, ports: [], volumeInGb: 0 },
    ...changes,
    ...(containerRegistryAuthId !== "" && { containerRegistryAuthId }),
  };
  const problem = volumeProblem(input);
  if (problem !== undefined) throw invalidRequest([`volumeInGb ${problem}`]);
  return input;
}

/** @throws ServiceError `invalid_request` */
export function templateChangesOf(body: Body): TemplateChanges {
  const { size: volumeInGb, path: volumeMountPath } = body.mounts?.persistent ?? {};
  return {
    ...readBody(FIELDS, body),
    ...containerOf(body),
    // A body without a volume does not change it (live).
    ...defined({ volumeInGb, volumeMountPath }),
  };
}

export function templateBodyV2(template: Template) {
  const { id, volumeInGb, volumeMountPath } = template;
  return inOrder(ORDER, {
    id,
    ...shownBelow(FIELDS, template),
    ...containerBody(template),
    mounts: volumeInGb === 0 ? {} : { persistent: { size: volumeInGb, path: volumeMountPath } },
  });
}
