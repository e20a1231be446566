/** What a client sends to create or change a template, checked; of a new one with its defaults filled in (source: spec). */
import {
  environment,
  fields,
  flag,
  imageName,
  integer,
  NAME_MAX_CHARACTERS,
  nonEmptyText,
  oneOf,
  readFields,
  settled,
  text,
  texts,
  textsOrCommas,
} from "../input/input-fields.ts";
import { TEMPLATE_CATEGORIES, type Template, type TemplateContainer } from "./template.ts";

export type TemplateInput = Omit<
  Template,
  "id" | "isPlatform" | "earned" | "runtimeInMin" | "boundTo" | "createdAt"
>;

/** Absent fields stay as they are; an empty `containerRegistryAuthId` takes the credentials away (live). */
export type TemplateChanges = {
  readonly [Field in keyof TemplateInput]?: TemplateInput[Field] | undefined;
};

/** Changes of a container alone. */
export type ContainerChanges = {
  readonly [Field in keyof TemplateContainer]?: TemplateContainer[Field] | undefined;
};

/** The form of a port with its protocol. */
export const TEMPLATE_PORT =
  /^([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])\/(http|tcp)$/;

/** What a container is made of, of a template as of a pod. */
export const CONTAINER_FIELDS = {
  imageName: imageName(),
  containerDiskInGb: integer(0),
  containerRegistryAuthId: text(),
  dockerEntrypoint: texts(),
  dockerStartCmd: texts(),
  env: environment(),
  ports: textsOrCommas(TEMPLATE_PORT, "a port and its protocol like 8888/http or 22/tcp"),
  volumeInGb: integer(0),
  volumeMountPath: text().startsWith("/", { error: "must be an absolute path" }),
};

/** Their values where nobody says; `volumeInGb` is that of a pod. */
export const CONTAINER_DEFAULTS = {
  containerDiskInGb: 50,
  dockerEntrypoint: [],
  dockerStartCmd: [],
  env: {},
  ports: ["8888/http", "22/tcp"],
  volumeInGb: 20,
  volumeMountPath: "/workspace",
} as const;

const changeable = {
  ...CONTAINER_FIELDS,
  name: nonEmptyText(NAME_MAX_CHARACTERS),
  isPublic: flag(),
  readme: text(),
};

const creation = fields({
  ...changeable,
  category: oneOf(TEMPLATE_CATEGORIES).default("NVIDIA"),
  containerDiskInGb: changeable.containerDiskInGb.default(CONTAINER_DEFAULTS.containerDiskInGb),
  containerRegistryAuthId: changeable.containerRegistryAuthId.optional(),
  dockerEntrypoint: changeable.dockerEntrypoint.default([]),
  dockerStartCmd: changeable.dockerStartCmd.default([]),
  env: changeable.env.default({}),
  isPublic: changeable.isPublic.default(false),
  isServerless: flag().default(false),
  ports: changeable.ports.default([...CONTAINER_DEFAULTS.ports]),
  readme: changeable.readme.default(""),
  volumeInGb: changeable.volumeInGb.optional(),
  volumeMountPath: changeable.volumeMountPath.default(CONTAINER_DEFAULTS.volumeMountPath),
});

/** The body of `POST /templates`. */
export const templateInputSchema = creation
  .superRefine(({ isServerless, volumeInGb = 0 }, context) => {
    const message = volumeProblem({ isServerless, volumeInGb });
    if (message !== undefined) context.addIssue({ code: "custom", path: ["volumeInGb"], message });
  })
  .meta({ id: "TemplateInput" });

/** The body of `PATCH /templates/{id}`. */
export const templateChangesSchema = fields(changeable)
  .partial()
  .extend({ category: settled(), isServerless: settled() })
  .meta({ id: "TemplateChanges" });

const FIELD_NAMES = Object.keys(creation.shape);

/** @throws ServiceError `invalid_request` */
export function readTemplateInput(value: unknown): TemplateInput {
  const { containerRegistryAuthId, volumeInGb, ...input } = readFields(
    templateInputSchema,
    FIELD_NAMES,
    value,
  );
  return {
    ...input,
    // A serverless template has no volume (live); the default is the pod's (spec).
    volumeInGb: volumeInGb ?? (input.isServerless ? 0 : CONTAINER_DEFAULTS.volumeInGb),
    // An empty id means none (live).
    ...(containerRegistryAuthId === "" ? {} : { containerRegistryAuthId }),
  };
}

/** @throws ServiceError `invalid_request`; whether the template as a whole makes sense is for `changeTemplate` to see */
export function readTemplateChanges(value: unknown): TemplateChanges {
  const {
    category: _,
    isServerless: __,
    ...changes
  } = readFields(templateChangesSchema, FIELD_NAMES, value);
  return changes;
}

/** What is wrong with `volumeInGb`, without the subject of the sentence. */
export function volumeProblem(
  template: Pick<Template, "isServerless" | "volumeInGb">,
): string | undefined {
  if (!template.isServerless || template.volumeInGb === 0) return undefined;
  return "must be 0 or absent: workers of serverless templates have no local volume";
}
