/**
 * Fields of a template that a client sets, in the order of `/v1`, and the fields of its container, which pods share (source:
 * spec).
 */
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
} from "../../input/input-fields.ts";
import { CUDA_VERSION } from "../../workers/cuda-requirement.ts";
import { defaultsOf, type Fields, fileDefaultsOf } from "../fields.ts";
import { type Template, TEMPLATE_CATEGORIES } from "./template.ts";

/** Pattern of a port with its protocol. */
export const TEMPLATE_PORT =
  /^([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])\/(http|tcp)$/;

/** Maximum size of a disk in a config, GB. */
const MAX_DISK_GB = 1_000_000;

/** Newer interfaces write the two lists as one text: `argsOf` and `splitArgs`. */
export const CONTAINER_FIELDS = {
  imageName: { schema: imageName(), isRequired: true, restV2: { at: "image", takes: imageName() } },
  containerDiskInGb: {
    schema: integer(0),
    default: 50,
    restV2: {
      at: "disk",
      takes: z.int().min(1).meta({ description: "GB." }),
      // Optional for a pod.
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

/** The volume of a pod; a serverless template has none (live). Newer interfaces combine both fields into one object. */
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

/** Defaults of a container; `volumeInGb` is a pod's (spec). */
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
    file: { means: "true: for endpoints; false: for pods", default: true },
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

/** Fields of newer interfaces only; none affects how workers start. */
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

/** A serverless template with the defaults of files. Default name: the id. */
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
