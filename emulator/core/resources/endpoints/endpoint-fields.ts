/** Fields of an endpoint that a client or a file sets (source: spec; `type`, `retries` and `requestsPerWorker` are ours). */
import { z } from "zod";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { ENDPOINT_CPU_FLAVORS } from "../../catalog/cpu-flavors.ts";
import { DATA_CENTER } from "../../catalog/data-centers.ts";
import {
  arrayOf,
  fields,
  flag,
  integer,
  NAME_MAX_CHARACTERS,
  nonEmptyText,
  oneOf,
  text,
  texts,
  textsOrCommas,
  valueOfWord,
} from "../../input/input-fields.ts";
import { DEFAULT_RETRY_RULES } from "../../jobs/job.ts";
import { CUDA_VERSION } from "../../workers/cuda-requirement.ts";
import { gpuType } from "../../workers/gpu-type.ts";
import {
  COMPUTE_TYPES,
  type Endpoint,
  ENDPOINT_TYPES,
  type EndpointType,
  SCALER_TYPES,
  STREAM_MODES,
} from "./endpoint.ts";
import { type Fields, inOrder } from "../fields.ts";

const MAX_RETRIES = 100;
/** Maximum values in a config. */
const MAX_WORKERS = 1_000;
const MAX_GPUS = 1_000;
const MAX_VCPUS = 1_000;
const MAX_COUNT = 1_000_000;

export const retryRules = {
  workerLost: integer(0, MAX_RETRIES),
  handlerError: integer(0, MAX_RETRIES),
};

/** Names of endpoint types in GraphQL and in the second version of REST (live). */
const TYPE_WORDS: Readonly<Record<string, EndpointType>> = {
  QB: "QUEUE",
  LB: "LOAD_BALANCING",
};
const REST_V2_TYPES = ["QUEUE", "LOAD_BALANCER"] as const;

/** Values of FlashBoot in newer interfaces; the service stores only on or off. */
const FLASHBOOTS = ["OFF", "FLASHBOOT", "PRIORITY_FLASHBOOT"] as const;
const FLASHBOOT_WORDS = { OFF: false, FLASHBOOT: true, PRIORITY_FLASHBOOT: true };
const flashbootWord = (isOn: boolean | undefined) => (isOn === true ? "FLASHBOOT" : "OFF");

const ofQueues = { type: "QUEUE" } as const;
const ofGpus = { computeType: "GPU" } as const;
const ofCpus = { computeType: "CPU" } as const;

export const ENDPOINT_FIELDS = {
  name: {
    schema: nonEmptyText(NAME_MAX_CHARACTERS),
    isInPlace: true,
    restV2: { at: "name", isRequired: true },
    file: { means: "as it is shown; default: its id" },
    form: { label: "Name" },
  },
  templateId: { schema: nonEmptyText(NAME_MAX_CHARACTERS), isRequired: true },
  // Newer interfaces use pools: `gpu-pools.ts`.
  gpuTypeIds: {
    schema: arrayOf(gpuType),
    graphql: false,
    default: [],
    file: { means: "names of GPU types in order of priority; empty: any" },
    form: {
      label: "GPU types",
      help: "separated by commas, the preferred one first",
      only: ofGpus,
    },
  },
  gpuCount: {
    schema: integer(1),
    default: 1,
    restV2: "gpu.count",
    file: { means: "GPUs of each worker", max: MAX_GPUS },
    form: { label: "GPUs per worker", only: ofGpus },
  },
  // Newer interfaces combine this field and the next one into instances.
  cpuFlavorIds: {
    schema: arrayOf(oneOf(ENDPOINT_CPU_FLAVORS)),
    graphql: false,
    shows: z.array(z.string()),
    file: { means: "kept and shown", default: [] },
    form: { label: "CPU flavours", help: "separated by commas", only: ofCpus },
  },
  vcpuCount: {
    schema: integer(1),
    graphql: false,
    file: { means: "kept and shown", max: MAX_VCPUS },
    form: { label: "vCPUs", only: ofCpus },
  },
  allowedCudaVersions: {
    schema: textsOrCommas(CUDA_VERSION, "a version like 12.8"),
    restV2: { at: "gpu.allowedCudaVersions", write: (versions) => versions ?? [] },
    file: {
      means: "allowed [CUDA](scaling.md#cuda) versions of the GPU driver, like `12.8`; empty: any",
      default: [],
    },
  },
  minCudaVersion: {
    schema: text().regex(CUDA_VERSION, { error: "must be a version like 12.8" }),
    restV2: {
      at: "gpu.minCudaVersion",
      shows: z.string().nullable(),
      write: (version) => version ?? null,
    },
    file: { means: "oldest allowed CUDA version of the GPU driver" },
  },
  dataCenterIds: {
    schema: textsOrCommas(DATA_CENTER, "a data centre like EU-RO-1"),
    restV2: { at: "dataCenterIds", write: (ids) => ids ?? [] },
    graphql: { name: "locations" },
    file: { means: "kept and shown", default: [] },
  },
  networkVolumeId: { schema: text() },
  networkVolumeIds: { schema: texts(), graphql: false },
  flashboot: {
    schema: flag(),
    isInPlace: true,
    restV2: {
      at: "flashboot",
      takes: z.enum(FLASHBOOTS),
      shows: z.enum(FLASHBOOTS),
      read: (word: string) => word !== "OFF",
      write: flashbootWord,
    },
    graphql: {
      name: "flashBootType",
      isWord: true,
      read: (word) => valueOfWord("flashBootType", FLASHBOOT_WORDS, word),
      write: flashbootWord,
    },
    file: { means: "kept and shown" },
  },
  idleTimeout: {
    schema: integer(1, 3_600, " (seconds)"),
    shows: z.int().meta({ description: "In seconds." }),
    default: 5,
    isInPlace: true,
    restV2: {
      at: "workers.idleTimeout",
      takes: z.int().min(1).max(3_600).meta({
        description: "Seconds; not for queues that scale by the number of requests.",
      }),
      shows: z.int().optional().meta({ description: "Seconds." }),
    },
    file: {
      means: "seconds without a job after which a worker above `workersMin` is stopped",
    },
    form: { label: "Idle timeout", note: "s", help: "time without a job before a worker stops" },
  },
  // The default depends on the type: `defaultScalerType`.
  scalerType: {
    schema: oneOf(SCALER_TYPES),
    isInPlace: true,
    file: {
      means:
        "the [formula](scaling.md) for the number of workers; default of a load balancing endpoint: `REQUEST_COUNT`",
      default: "QUEUE_DELAY",
    },
    form: {
      label: "Scaler",
      choices: { QUEUE_DELAY: "by queue delay", REQUEST_COUNT: "by job count" },
      only: ofQueues,
    },
  },
  scalerValue: {
    schema: integer(1),
    default: 4,
    isInPlace: true,
    file: {
      means: "seconds a job may wait before a worker is added, or jobs per worker",
      max: MAX_COUNT,
    },
    form: { label: "Scaler value", help: "seconds in the queue, or jobs for each worker" },
  },
  workersMin: {
    schema: integer(0),
    default: 0,
    isInPlace: true,
    restV2: "workers.min",
    file: { means: "minimum number of workers", default: 1, max: MAX_WORKERS },
    form: { label: "Workers, at least", help: "kept without jobs too" },
  },
  workersMax: {
    schema: integer(0),
    default: 3,
    isInPlace: true,
    restV2: "workers.max",
    file: { means: "workers at most", max: MAX_WORKERS },
    form: { label: "Workers, at most" },
  },
  executionTimeoutMs: {
    schema: integer(LIMITS.executionTimeoutMinMs, LIMITS.executionTimeoutMaxMs, " (ms)"),
    default: LIMITS.executionTimeoutDefaultMs,
    isInPlace: true,
    restV2: {
      at: "timeout",
      takes: z
        .int()
        .min(0)
        .max(LIMITS.executionTimeoutMaxMs)
        .meta({ description: "How long a job may execute, ms; 0: no limit." }),
    },
    file: { means: "default execution time limit of a job, ms" },
    form: { label: "Execution timeout", note: "ms", only: ofQueues },
  },
  retries: {
    schema: fields({
      workerLost: retryRules.workerLost.default(DEFAULT_RETRY_RULES.workerLost),
      handlerError: retryRules.handlerError.default(DEFAULT_RETRY_RULES.handlerError),
    }),
    shows: z.strictObject({ workerLost: z.int(), handlerError: z.int() }),
    graphql: false,
    default: DEFAULT_RETRY_RULES,
    isInPlace: true,
    form: {
      workerLost: { label: "Retries, worker lost", only: ofQueues },
      handlerError: { label: "Retries, handler failed", only: ofQueues },
    },
  },
  requestsPerWorker: {
    schema: integer(1),
    graphql: false,
    default: LIMITS.requestsPerWorkerDefault,
    isInPlace: true,
    file: {
      means:
        "number of requests that each running worker adds to the [rate limits](job-interface.md#rate-limits)",
      max: MAX_COUNT,
    },
    form: {
      label: "Requests per worker",
      help: "each running worker adds this number to the rate limits",
    },
  },
  streams: {
    schema: oneOf(STREAM_MODES),
    graphql: false,
    isInPlace: true,
    file: { means: "`durable`: [chunks](streaming.md#speed) are read once they are stored" },
    form: { label: "Streams", choices: { durable: "when durable" }, only: ofQueues },
  },
  type: {
    schema: oneOf(ENDPOINT_TYPES),
    default: "QUEUE",
    isSettled: true,
    restV2: {
      at: "type",
      isRequired: true,
      isSettled: true,
      takes: z.enum(REST_V2_TYPES),
      shows: z.enum(REST_V2_TYPES),
      read: (word: string) => (word === "QUEUE" ? "QUEUE" : "LOAD_BALANCING"),
      write: (type) => (type === "QUEUE" ? "QUEUE" : "LOAD_BALANCER"),
    },
    graphql: {
      isWord: true,
      read: (word) => valueOfWord("type", TYPE_WORDS, word),
      write: (type) => (type === "QUEUE" ? "QB" : "LB"),
    },
    file: {
      means:
        "`LOAD_BALANCING` if its workers are [HTTP servers](load-balancing.md), as a file named `server` is",
    },
  },
  computeType: {
    schema: oneOf(COMPUTE_TYPES),
    graphql: false,
    default: "GPU",
    isSettled: true,
    file: {
      means:
        "`GPU` for workers with [GPUs](scaling.md#gpus) of their own; default `GPU` if one of the next two is set",
      default: "CPU",
    },
  },
} as const satisfies Fields<Omit<Endpoint, "id" | "version" | "createdAt">>;

/** The fields in the order of configs and of the settings page; add new fields at the end. */
export const ENDPOINT_FIELDS_IN_FILES = inOrder(
  [
    ...["name", "workersMin", "workersMax", "idleTimeout", "scalerType", "scalerValue"],
    ...["executionTimeoutMs", "retries", "requestsPerWorker", "computeType", "gpuTypeIds"],
    ...["gpuCount", "type", "allowedCudaVersions", "minCudaVersion", "cpuFlavorIds"],
    ...["vcpuCount", "dataCenterIds", "flashboot", "streams"],
  ],
  ENDPOINT_FIELDS,
);
