/** What a client sends to create a template, checked and with its defaults filled in (source: spec). */
import {
  environment,
  fields,
  flag,
  integer,
  NAME_MAX_CHARACTERS,
  nonEmptyText,
  oneOf,
  readFields,
  text,
  texts,
  textsOrCommas,
} from "./input-fields.ts";
import { TEMPLATE_CATEGORIES, type Template } from "./template.ts";

export type TemplateInput = Omit<Template, "id" | "isPlatform" | "earned" | "runtimeInMin">;

const IMAGE_NAME_MAX_CHARACTERS = 1_024;
const PORT =
  /^([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])\/(http|tcp)$/;
const POD_VOLUME_IN_GB = 20;

const schema = fields({
  name: nonEmptyText(NAME_MAX_CHARACTERS),
  imageName: nonEmptyText(IMAGE_NAME_MAX_CHARACTERS),
  category: oneOf(TEMPLATE_CATEGORIES).default("NVIDIA"),
  containerDiskInGb: integer(0).default(50),
  containerRegistryAuthId: text().optional(),
  dockerEntrypoint: texts().default([]),
  dockerStartCmd: texts().default([]),
  env: environment().default({}),
  isPublic: flag().default(false),
  isServerless: flag().default(false),
  ports: textsOrCommas(PORT, "a port and its protocol like 8888/http or 22/tcp").default([
    "8888/http",
    "22/tcp",
  ]),
  readme: text().default(""),
  volumeInGb: integer(0).optional(),
  volumeMountPath: text()
    .startsWith("/", { error: "must be an absolute path" })
    .default("/workspace"),
});

const checked = schema.superRefine((input, context) => {
  if (input.isServerless && (input.volumeInGb ?? 0) > 0) {
    const message = "must be 0 or absent: workers of serverless templates have no local volume";
    context.addIssue({ code: "custom", path: ["volumeInGb"], message });
  }
  // An empty id means none (live).
  if ((input.containerRegistryAuthId ?? "") !== "") {
    const message = "names no container registry auth of this service";
    context.addIssue({ code: "custom", path: ["containerRegistryAuthId"], message });
  }
});

/** @throws ServiceError `invalid_request` */
export function readTemplateInput(value: unknown): TemplateInput {
  const {
    containerRegistryAuthId: _none,
    volumeInGb,
    ...input
  } = readFields(checked, Object.keys(schema.shape), value);
  // A serverless template has no volume (live); the default is the pod's (spec).
  return { ...input, volumeInGb: volumeInGb ?? (input.isServerless ? 0 : POD_VOLUME_IN_GB) };
}
