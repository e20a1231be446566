/** Endpoints of the second version of REST, as they are sent and answered (live). */
import { z } from "zod";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { ENDPOINT_CPU_FLAVORS } from "../../../core/catalog/cpu-flavors.ts";
import { GPU_POOLS } from "../../../core/catalog/gpu-types.ts";
import { NAME_MAX_CHARACTERS } from "../../../core/input/input-fields.ts";
import { CUDA_VERSION } from "../../../core/workers/cuda-requirement.ts";
import { DATA_CENTER } from "../../../core/catalog/data-centers.ts";
import { instant } from "../../schemas/contract.ts";
import { containerAnswer, containerFields } from "../templates/rest-v2-container.ts";

const TYPES = ["QUEUE", "LOAD_BALANCER"] as const;
const FLASHBOOTS = ["OFF", "FLASHBOOT", "PRIORITY_FLASHBOOT"] as const;

const QUEUE_DELAY_MIN_SECONDS = 0.5;
const IDLE_TIMEOUT_MAX_SECONDS = 3_600;
const VCPUS_MIN = 2;

const cudaVersion = z.string().regex(CUDA_VERSION);

/** Of GPUs; a choice of pools takes the place of both. */
const gpuFields = {
  pools: unique(z.array(z.string().meta({ examples: [...GPU_POOLS] })).min(1)),
  excludedTypes: unique(z.array(z.string().trim().min(1))).optional(),
  count: z.int().min(1).optional(),
  allowedCudaVersions: z.array(cudaVersion).optional(),
  minCudaVersion: cudaVersion.optional(),
};

const gpuInput = z.strictObject(gpuFields);

const gpuChanges = z.strictObject({
  ...gpuFields,
  pools: gpuFields.pools.optional(),
  minCudaVersion: z.union([cudaVersion, z.literal("")]).optional(),
});

const cpuInput = unique(
  z
    .array(
      z.strictObject({
        id: z
          .string()
          .min(1)
          .meta({ examples: [...ENDPOINT_CPU_FLAVORS] }),
        vcpuCount: z
          .int()
          .min(VCPUS_MIN)
          .refine((count) => Number.isInteger(Math.log2(count)), {
            error: "must be a power of two",
          }),
      }),
    )
    .min(1),
);

const workersInput = z.strictObject({
  min: z.int().min(0).optional(),
  max: z.int().min(0).optional(),
  idleTimeout: z.int().min(1).max(IDLE_TIMEOUT_MAX_SECONDS).optional().meta({
    description: "Seconds; not for queues that scale by the number of requests.",
  }),
});

const scaling = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("QUEUE_DELAY"),
    queueDelay: z.number().min(QUEUE_DELAY_MIN_SECONDS).meta({ description: "Seconds." }),
  }),
  z.strictObject({ type: z.literal("REQUEST_COUNT"), requestCount: z.int().min(1) }),
]);

const changeable = {
  ...containerFields,
  templateId: z.string().min(1).optional().meta({
    description:
      "A serverless template whose container is copied once; what is beside it counts more.",
  }),
  cpu: cpuInput.optional(),
  workers: workersInput.optional(),
  dataCenterIds: z.array(z.string().regex(DATA_CENTER)).optional(),
  networkVolumes: z.array(z.string()).optional(),
  timeout: z
    .int()
    .min(0)
    .max(LIMITS.executionTimeoutMaxMs)
    .optional()
    .meta({ description: "How long a job may execute, ms; 0: no limit." }),
  flashboot: z.enum(FLASHBOOTS).optional(),
};

const name = z.string().min(1).max(NAME_MAX_CHARACTERS);

/** The body of `POST /v2/serverless`. */
export const createEndpointSchema = z
  .strictObject({ name, type: z.enum(TYPES), gpu: gpuInput.optional(), scaling, ...changeable })
  .meta({ id: "CreateEndpoint", oneOf: [{ required: ["gpu"] }, { required: ["cpu"] }] });

/** The body of `PATCH /v2/serverless/{id}`. */
export const updateEndpointSchema = z
  .strictObject({
    name: name.optional(),
    gpu: gpuChanges.optional(),
    scaling: scaling.optional(),
    ...changeable,
  })
  .meta({ id: "UpdateEndpoint" });

export type CreateEndpointBody = z.output<typeof createEndpointSchema>;
export type UpdateEndpointBody = z.output<typeof updateEndpointSchema>;

const ofJob = (what: string) =>
  z
    .string()
    .optional()
    .meta({ description: `With {job_id}: ${what}.` });

export const endpointSchemaV2 = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    type: z.enum(TYPES),
    gpu: z
      .strictObject({
        pools: z.array(z.string()),
        excludedTypes: z.array(z.string()),
        count: z.int(),
        allowedCudaVersions: z.array(z.string()),
        minCudaVersion: z.string().nullable(),
      })
      .optional(),
    cpu: z
      .array(z.strictObject({ id: z.string(), vcpuCount: z.int(), memory: z.int() }))
      .optional(),
    workers: z.strictObject({
      min: z.int(),
      max: z.int(),
      idleTimeout: z.int().optional().meta({ description: "Seconds." }),
    }),
    scaling,
    dataCenterIds: z.array(z.string()),
    networkVolumes: z.array(z.string()),
    timeout: z.int(),
    flashboot: z.enum(FLASHBOOTS),
    requestUrls: z
      .strictObject({
        run: z.string().optional(),
        runSync: z.string().optional(),
        status: ofJob("the job as it is"),
        stream: ofJob("its chunks"),
        cancel: ofJob("ends it"),
        retry: ofJob("tries it again"),
        purgeQueue: z.string().optional(),
        base: z.string().optional().meta({ description: "Of a load balancing endpoint." }),
        health: z.string(),
      })
      .optional(),
    createdAt: instant(),
    ...containerAnswer,
  })
  .meta({ id: "Endpoint" });

/** Without one item twice. */
function unique<Item extends z.ZodType>(array: z.ZodArray<Item>) {
  return array
    .refine((items) => new Set(items.map((item) => JSON.stringify(item))).size === items.length, {
      error: "items are not unique",
    })
    .meta({ uniqueItems: true });
}
