/** The schema of a config: every key with its meaning and bounds. Its errors are sentences. */
import { z } from "zod";
import { ENDPOINT_CPU_FLAVORS } from "../../core/catalog/cpu-flavors.ts";
import { DATA_CENTER } from "../../core/catalog/data-centers.ts";
import {
  ENDPOINT_FIELDS,
  ENDPOINT_FIELDS_IN_FILES,
} from "../../core/resources/endpoints/endpoint-fields.ts";
import { inOrder } from "../../core/resources/fields.ts";
import { CUDA_VERSION } from "../../core/workers/cuda-requirement.ts";
import { DEFAULT_RETRY_RULES } from "../../core/jobs/job.ts";
import { imageName } from "../../core/input/input-fields.ts";
import { LIMIT_MODES } from "../../core/limits/rate-limit.ts";
import { ADVERTISE_RULE } from "../../core/store-address.ts";
import { isNamespace, NAMESPACE_RULE } from "../../core/workers/kubernetes-namespace.ts";
import { WORKING_DIRECTORIES } from "../../core/resources/endpoints/served-endpoint.ts";
import {
  arrayOf,
  choice,
  flag,
  integer,
  keysOf,
  matching,
  must,
  object,
  optional,
  recordOf,
  secret,
  text,
  texts,
} from "./fields.ts";
import {
  CENTER,
  container,
  env,
  gpuSetting,
  networkVolume,
  registryAuth,
  template,
} from "./resource-schema.ts";
import { network } from "./network-schema.ts";
import { DEFAULT_DATA_DIR, DOCKER_MODES } from "../serve/setting-values.ts";

const MAX_RETRIES = 100;
/** Maximum in seconds, as published for the live service. */
const MAX_IDLE_TIMEOUT = 3_600;

const CUDA = "a version like 12.8";

const retries = object({
  workerLost: optional(
    integer(0, MAX_RETRIES),
    "after its worker or handler process was lost",
    DEFAULT_RETRY_RULES.workerLost,
  ),
  handlerError: optional(
    integer(0, MAX_RETRIES),
    "after its handler threw",
    DEFAULT_RETRY_RULES.handlerError,
  ),
});

const { name, type, ...settings } = keysOf(ENDPOINT_FIELDS, {
  name: text("be a name"),
  idleTimeout: integer(1, MAX_IDLE_TIMEOUT, " (seconds)"),
  gpuTypeIds: arrayOf(text("be the name of a GPU type"), "GPU type names"),
  allowedCudaVersions: arrayOf(matching(CUDA_VERSION, CUDA), "versions like 12.8"),
  minCudaVersion: matching(CUDA_VERSION, CUDA),
  cpuFlavorIds: arrayOf(choice(ENDPOINT_CPU_FLAVORS), "names of CPU flavours"),
  dataCenterIds: arrayOf(matching(DATA_CENTER, CENTER), "data centres like EU-RO-1"),
});

const endpoint = object({
  handler: optional(
    text("be the path of a handler file or of a directory with one"),
    "a handler file or server, or a directory with a `handler.ts` or `server.ts`; or else one of `command`, `image` and `template`",
  ),
  command: optional(
    arrayOf(text("be a string that is not empty"), "strings, the program and its arguments").min(
      1,
      {
        error: must("name a program"),
      },
    ),
    "a [program](#commands) that takes jobs by the live protocol, with its arguments",
  ),
  cwd: optional(
    text("be the path of a directory"),
    "the directory that the `command` is served from; by default the config's own",
  ),
  workingDirectory: optional(
    choice(WORKING_DIRECTORIES),
    "`shared` if the command's workers all run in `cwd`; by default each runs in a [directory of its own](#commands) with links to its entries",
  ),
  image: optional(imageName(), "the [container image](docker.md) its workers run"),
  template: optional(
    text("be the key of a template under templates"),
    "the [template](#templates) its workers are made of, by its key",
  ),
  name,
  type,
  env,
  volume: optional(
    text("be the path of a directory"),
    "a directory for files that outlive its workers, made if it does not exist; see [below](#volumes)",
  ),
  networkVolumes: optional(
    texts("keys of networkVolumes"),
    "its [network volumes](#network-volumes) by their keys; its workers get the first",
    [],
  ),
  ...inOrder(Object.keys(ENDPOINT_FIELDS_IN_FILES), {
    ...settings,
    retries: optional(retries, "number of retries of a job, by [cause](#retries)"),
  }),
  ...container,
});

const RESOURCES = ", each under a key of its own";

/** A pod of a worker has one container. The cluster checks the other fields of the spec. */
const podTemplate = object(
  {
    metadata: object({
      labels: recordOf(z.string({ error: must("be a string") })).exactOptional(),
      annotations: recordOf(z.string({ error: must("be a string") })).exactOptional(),
    }).exactOptional(),
    spec: z
      .looseObject(
        {
          containers: arrayOf(
            z.looseObject(
              { name: z.literal("worker", { error: must("be worker") }).exactOptional() },
              { error: must("be an object") },
            ),
            "objects",
          )
            .max(1, { error: "must have one container, worker: make others initContainers" })
            .exactOptional(),
        },
        { error: must("be an object") },
      )
      .exactOptional(),
  },
  "a pod template",
);

export const configSchema = object({
  endpoints: recordOf(endpoint, ", endpoints by id").meta({
    description: "the [endpoints](#endpoints) by id, at least one",
  }),
  templates: optional(
    recordOf(template, RESOURCES),
    "[templates](#templates) that several endpoints can share, by keys of your choice",
    {},
  ),
  networkVolumes: optional(
    recordOf(networkVolume, RESOURCES),
    "[network volumes](#network-volumes), by keys of your choice",
    {},
  ),
  containerRegistryAuths: optional(
    recordOf(registryAuth, RESOURCES),
    "[credentials of registries](#registry-auths), by keys of your choice",
    {},
  ),
  ...network,
  dataDir: optional(
    text("be the path of a directory"),
    "directory where jobs and objects are kept",
    DEFAULT_DATA_DIR,
  ),
  store: optional(
    secret(),
    "a [PostgreSQL database](cluster.md) for jobs and records instead of `dataDir`, as `--store`",
  ),
  objects: optional(
    secret(),
    "the [bucket](cluster.md#large-payloads) for large payloads beside `store`, as `--objects`",
  ),
  advertise: optional(
    text(ADVERTISE_RULE),
    "address of this emulator for others that [share](cluster.md) the `store`, as `--advertise`",
  ),
  insecureReplicas: optional(
    flag(),
    "whether `advertise` may be [plain HTTP](cluster.md#several-replicas) to another machine, as `--insecure-replicas`",
    false,
  ),
  limits: optional(
    choice(LIMIT_MODES),
    "handling of requests over the [rate limits](cli.md#rate-limits)",
    "enforce",
  ),
  gpus: optional(
    gpuSetting,
    "the [GPUs](scaling.md#gpus) of GPU endpoints, as `--gpus` or a list",
    "auto",
  ),
  docker: optional(
    choice(DOCKER_MODES),
    "whether [images](docker.md) are run as containers",
    "auto",
  ),
  kubernetes: optional(
    text(NAMESPACE_RULE).refine(isNamespace, { error: must(NAMESPACE_RULE) }),
    "the namespace of a [Kubernetes cluster](kubernetes.md) where images run as pods, as `--kubernetes`",
  ),
  kubernetesPod: optional(
    podTemplate,
    "a [pod template](kubernetes.md#your-own-pod-template), merged under the pod of each worker",
  ),
  $schema: optional(
    z.string({ error: must("be a string") }),
    "for [editors](#in-an-editor) of JSON",
  ),
});

export type WrittenConfig = z.infer<typeof configSchema>;
export type WrittenEndpoint = z.infer<typeof endpoint>;
export type WrittenTemplate = z.infer<typeof template>;

export type ConfigInput = z.input<typeof configSchema>;

/** The schemas of the parts of a config. */
export const CONFIG_PARTS = {
  config: configSchema,
  endpoint,
  retries,
  template,
  networkVolume,
  registryAuth,
} as const;

/** The keys that are allowed at a place in a config. */
export function knownKeysAt(path: readonly PropertyKey[]): readonly string[] {
  let schema: unknown = configSchema;
  for (const key of path) {
    if (schema instanceof z.ZodUnion) schema = schema.options.find(isArray);
    if (schema instanceof z.ZodObject) schema = schema.shape[String(key)];
    else if (schema instanceof z.ZodRecord) schema = schema.valueType;
    else if (isArray(schema)) schema = schema.element;
    if (schema instanceof z.ZodExactOptional) schema = schema.unwrap();
  }
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function isArray(schema: unknown): schema is z.ZodArray {
  return schema instanceof z.ZodArray;
}
