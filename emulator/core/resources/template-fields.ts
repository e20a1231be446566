/** The fields of a template that a client chooses, in the order of `/v1`, and those of its container, which a pod has too (source: spec). */
import { z } from "zod";
import {
  environment,
  flag,
  imageName,
  integer,
  NAME_MAX_CHARACTERS,
  nonEmptyText,
  oneOf,
  text,
  texts,
  textsOrCommas,
} from "../input/input-fields.ts";
import { CUDA_VERSION } from "../workers/cuda-requirement.ts";
import { defaultsOf, type Fields, fileDefaultsOf } from "./fields.ts";
import { type Template, TEMPLATE_CATEGORIES } from "./template.ts";

/** The form of a port with its protocol. */
export const TEMPLATE_PORT =
  /^([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])\/(http|tcp)$/;

/** Maximum size of a disk in a config, GB. */
const MAX_DISK_GB = 1_000_000;

/** Its two lists of words are one text in newer interfaces: `argsOf` and `splitArgs`. */
export const CONTAINER_FIELDS = {
  imageName: { schema: imageName(), isRequired: true, restV2: { at: "image", takes: imageName() } },
  containerDiskInGb: {
    schema: integer(0),
    default: 50,
    restV2: {
      at: "disk",
      takes: z.int().min(1).meta({ description: "GB." }),
      // A pod may have none.
      write: (size) => size ?? 0,
    },
    file: { means: "size of the container's disk in GB; kept and shown", max: MAX_DISK_GB },
  },
  containerRegistryAuthId: {
    schema: text(),
    restV2: {
      at: "registry",
      takes: z.string().nullable().meta({ description: "Null: none." }),
      shows: z.string().nullable(),
      // An empty id means none (live).
      read: (id: string | null) => id ?? "",
      write: (id) => id ?? null,
    },
    graphql: { takesEmpty: true },
  },
  dockerEntrypoint: {
    schema: texts(),
    graphql: false,
    default: [],
    restV2: "entrypoint",
    file: { means: "in place of the image's entrypoint" },
  },
  dockerStartCmd: {
    schema: texts(),
    graphql: false,
    default: [],
    restV2: "cmd",
    file: { means: "in place of the image's start command" },
  },
  env: {
    schema: environment(),
    shows: z.record(z.string(), z.string()),
    default: {},
    restV2: { at: "env", takes: environment() },
  },
  ports: {
    schema: textsOrCommas(TEMPLATE_PORT, "a port and its protocol like 8888/http or 22/tcp"),
    default: ["8888/http", "22/tcp"],
    restV2: "ports",
    graphql: { takesEmpty: true },
    file: {
      means: "ports that the container opens, each like `8888/http` or `22/tcp`",
      default: [],
    },
  },
} as const satisfies Fields<Pick<Template, ContainerField>>;

type ContainerField =
  | "imageName"
  | "containerDiskInGb"
  | "containerRegistryAuthId"
  | "dockerEntrypoint"
  | "dockerStartCmd"
  | "env"
  | "ports";

/** The volume of a pod; a serverless template has none (live). Newer interfaces write both as one object. */
export const VOLUME_FIELDS = {
  volumeInGb: {
    schema: integer(0),
    isInPlace: true,
    file: { means: "size of a pod's volume in GB; kept and shown", default: 0, max: MAX_DISK_GB },
  },
  volumeMountPath: {
    schema: text().startsWith("/", { error: "must be an absolute path" }),
    default: "/workspace",
    isInPlace: true,
    file: { means: "kept and shown" },
  },
} as const satisfies Fields<Pick<Template, "volumeInGb" | "volumeMountPath">>;

/** Values of a container that are not said; `volumeInGb` is that of a pod (spec). */
export const CONTAINER_DEFAULTS = {
  ...defaultsOf(CONTAINER_FIELDS),
  ...defaultsOf(VOLUME_FIELDS),
  volumeInGb: 20,
};

export const TEMPLATE_FIELDS = {
  ...CONTAINER_FIELDS,
  ...VOLUME_FIELDS,
  name: {
    schema: nonEmptyText(NAME_MAX_CHARACTERS),
    isRequired: true,
    isInPlace: true,
    restV2: "name",
  },
  isPublic: {
    schema: flag(),
    default: false,
    isInPlace: true,
    restV2: "public",
    file: { means: "kept and shown" },
  },
  readme: {
    schema: text(),
    default: "",
    isInPlace: true,
    graphql: { takesEmpty: true },
    file: { means: "kept and shown" },
  },
  category: {
    schema: oneOf(TEMPLATE_CATEGORIES),
    default: "NVIDIA",
    isSettled: true,
    restV2: "category",
    file: { means: "kept and shown" },
  },
  isServerless: {
    schema: flag(),
    default: false,
    isSettled: true,
    restV2: "serverless",
    file: { means: "whether endpoints can be made of it, else pods", default: true },
  },
} as const satisfies Fields<Pick<Template, TemplateField>>;

type TemplateField =
  | ContainerField
  | keyof typeof VOLUME_FIELDS
  | "name"
  | "isPublic"
  | "readme"
  | "category"
  | "isServerless";

/** Fields that only newer interfaces have; nothing that workers are started with. */
export const NEWER_TEMPLATE_FIELDS = {
  startSsh: {
    schema: flag(),
    isInPlace: true,
    restV2: { at: "startSsh", write: (wanted) => wanted ?? true },
    graphql: { write: (wanted) => wanted ?? true },
  },
  startJupyter: {
    schema: flag(),
    isInPlace: true,
    restV2: { at: "startJupyter", write: (wanted) => wanted ?? true },
    graphql: { write: (wanted) => wanted ?? true },
  },
  allowedCudaVersions: {
    schema: textsOrCommas(CUDA_VERSION, "a version like 12.8"),
    graphql: false,
    isInPlace: true,
    restV2: { at: "allowedCudaVersions", write: (versions) => versions ?? [] },
  },
} as const satisfies Fields<Pick<Template, "startSsh" | "startJupyter" | "allowedCudaVersions">>;

const FILE_DEFAULTS = fileDefaultsOf(TEMPLATE_FIELDS);

/** A serverless template with the defaults of files. Its name is its id, unless it has another. */
export function templateOf(
  fields: Partial<Template> & Pick<Template, "id" | "imageName">,
): Template {
  return {
    ...FILE_DEFAULTS,
    name: fields.id,
    volumeInGb: 0,
    isPlatform: false,
    earned: 0,
    runtimeInMin: 0,
    ...fields,
  };
}
