/** Bodies of `/v1` that create or change a template, checked. A new template gets its defaults (source: spec). */
import { fields, readFields } from "../../input/input-fields.ts";
import { changeShape, creationShape } from "../fields.ts";
import { CONTAINER_DEFAULTS, TEMPLATE_FIELDS } from "./template-fields.ts";
import type { Template, TemplateContainer } from "./template.ts";

export type TemplateInput = Omit<
  Template,
  "id" | "isPlatform" | "earned" | "runtimeInMin" | "boundTo" | "createdAt"
>;

/** Absent fields stay unchanged; an empty `containerRegistryAuthId` removes the credentials (live). */
export type TemplateChanges = {
  readonly [Field in keyof TemplateInput]?: TemplateInput[Field] | undefined;
};

/** Changes of container fields only. */
export type ContainerChanges = Pick<TemplateChanges, keyof TemplateContainer>;

/** The body of `POST /templates`. */
export const templateInputSchema = fields(creationShape(TEMPLATE_FIELDS))
  .superRefine(({ isServerless, volumeInGb = 0 }, context) => {
    const message = volumeProblem({ isServerless, volumeInGb });
    if (message !== undefined) context.addIssue({ code: "custom", path: ["volumeInGb"], message });
  })
  .meta({ id: "TemplateInput" });

/** The body of `PATCH /templates/{id}`. */
export const templateChangesSchema = fields(changeShape(TEMPLATE_FIELDS)).meta({
  id: "TemplateChanges",
});

const openChangesSchema = fields(changeShape(TEMPLATE_FIELDS, true));

const FIELD_NAMES = Object.keys(TEMPLATE_FIELDS);

/** @throws ServiceError `invalid_request` */
export function readTemplateInput(value: unknown): TemplateInput {
  const { containerRegistryAuthId, volumeInGb, ...input } = readFields(
    templateInputSchema,
    FIELD_NAMES,
    value,
  );
  return {
    ...input,
    // A serverless template has no volume (live); the default is a pod's (spec).
    volumeInGb: volumeInGb ?? (input.isServerless ? 0 : CONTAINER_DEFAULTS.volumeInGb),
    // An empty id means none (live).
    ...(containerRegistryAuthId === "" ? {} : { containerRegistryAuthId }),
  };
}

/**
 * Checks single fields; `changeTemplate` checks the template as a whole.
 * @param isOpen true for dialects that can change every field after creation
 * @throws ServiceError `invalid_request`
 */
export function readTemplateChanges(value: unknown, isOpen = false): TemplateChanges {
  return readFields(isOpen ? openChangesSchema : templateChangesSchema, FIELD_NAMES, value);
}

/** The fault of `volumeInGb`, as a sentence without its subject. */
export function volumeProblem(
  template: Pick<Template, "isServerless" | "volumeInGb">,
): string | undefined {
  if (!template.isServerless || template.volumeInGb === 0) return undefined;
  return "must be 0 or absent: workers of serverless templates have no local volume";
}
