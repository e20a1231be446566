/** Schemas of endpoints in the second version of REST (live). */
import { z } from "zod";
import { ENDPOINT_CPU_FLAVORS } from "../../../core/catalog/cpu-flavors.ts";
import { GPU_POOLS } from "../../../core/catalog/gpu-types.ts";
import { CUDA_VERSION } from "../../../core/workers/cuda-requirement.ts";
import { ENDPOINT_FIELDS } from "../../../core/resources/endpoints/endpoint-fields.ts";
import { inOrder } from "../../../core/resources/fields.ts";
import { instant } from "../../schemas/contract.ts";
import { shownShape, takenShape } from "../rest-v2/fields.ts";
import {
  CONTAINER_ORDER,
  containerAnswer,
  containerFields,
} from "../templates/rest-v2-container.ts";

const QUEUE_DELAY_MIN_SECONDS = 0.5;
const VCPUS_MIN = 2;

const pools = unique(z.array(z.string().meta({ examples: [...GPU_POOLS] })).min(1));

/** GPU pools and excluded types; a change replaces both. */
const gpuFields = {
  excludedTypes: unique(z.array(z.string().trim().min(1))).optional(),
  ...takenShape(ENDPOINT_FIELDS, "gpu"),
};

const gpuInput = z.strictObject({ pools, ...gpuFields });

const gpuChanges = z.strictObject({
  pools: pools.optional(),
  ...gpuFields,
  // An empty text removes the value.
  minCudaVersion: z.union([z.string().regex(CUDA_VERSION), z.literal("")]).optional(),
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

const scaling = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("QUEUE_DELAY"),
    queueDelay: z.number().min(QUEUE_DELAY_MIN_SECONDS).meta({ description: "Seconds." }),
  }),
  z.strictObject({ type: z.literal("REQUEST_COUNT"), requestCount: z.int().min(1) }),
]);

const ORDER = [
  ...["name", "type", "gpu", "scaling", ...CONTAINER_ORDER, "templateId", "cpu", "workers"],
  ...["dataCenterIds", "networkVolumes", "timeout", "flashboot"],
];

const compound = {
  ...containerFields,
  templateId: z.string().min(1).optional().meta({
    description:
      "Id of a serverless template. Its container is copied once; fields of the body override it.",
  }),
  cpu: cpuInput.optional(),
  workers: z.strictObject(takenShape(ENDPOINT_FIELDS, "workers")).optional(),
  networkVolumes: z.array(z.string()).optional(),
};

/** The body of `POST /v2/serverless`. */
export const createEndpointSchema = z
  .strictObject(
    inOrder(ORDER, {
      ...takenShape(ENDPOINT_FIELDS, "", true),
      gpu: gpuInput.optional(),
      scaling,
      ...compound,
    }),
  )
  .meta({ id: "CreateEndpoint", oneOf: [{ required: ["gpu"] }, { required: ["cpu"] }] });

/** The body of `PATCH /v2/serverless/{id}`. */
export const updateEndpointSchema = z
  .strictObject(
    inOrder(ORDER, {
      ...takenShape(ENDPOINT_FIELDS),
      gpu: gpuChanges.optional(),
      scaling: scaling.optional(),
      ...compound,
    }),
  )
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
    ...shownShape(ENDPOINT_FIELDS),
    gpu: z
      .strictObject({
        pools: z.array(z.string()),
        excludedTypes: z.array(z.string()),
        ...shownShape(ENDPOINT_FIELDS, "gpu"),
      })
      .optional(),
    cpu: z
      .array(z.strictObject({ id: z.string(), vcpuCount: z.int(), memory: z.int() }))
      .optional(),
    workers: z.strictObject(shownShape(ENDPOINT_FIELDS, "workers")),
    scaling,
    networkVolumes: z.array(z.string()),
    requestUrls: z
      .strictObject({
        run: z.string().optional(),
        runSync: z.string().optional(),
        status: ofJob("the job's present state"),
        stream: ofJob("its chunks"),
        cancel: ofJob("ends it"),
        retry: ofJob("tries it again"),
        purgeQueue: z.string().optional(),
        base: z.string().optional().meta({ description: "Only for a load balancing endpoint." }),
        health: z.string(),
      })
      .optional(),
    createdAt: instant(),
    ...containerAnswer,
  })
  .meta({ id: "Endpoint" });

function unique<Item extends z.ZodType>(array: z.ZodArray<Item>) {
  return array
    .refine((items) => new Set(items.map((item) => JSON.stringify(item))).size === items.length, {
      error: "items are not unique",
    })
    .meta({ uniqueItems: true });
}
