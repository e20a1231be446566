/** An endpoint as the management interface answers it. */
import { z } from "zod";
import { COMPUTE_TYPES, ENDPOINT_TYPES, SCALER_TYPES } from "../../core/resources/endpoint.ts";
import { flagParameter } from "../../core/input/query-parameters.ts";
import { answered, instant } from "./contract.ts";
import { templateSchema } from "./template.ts";
import { workerSchema } from "./worker.ts";

export const endpointSchema = answered("Endpoint", {
  id: z.string(),
  name: z.string(),
  templateId: z.string(),
  computeType: z.enum(COMPUTE_TYPES),
  gpuTypeIds: z.array(z.string()),
  gpuCount: z.int(),
  cpuFlavorIds: z.array(z.string()).optional(),
  vcpuCount: z.int().optional(),
  allowedCudaVersions: z.array(z.string()),
  minCudaVersion: z.string().optional(),
  dataCenterIds: z.array(z.string()),
  networkVolumeId: z.string().optional(),
  networkVolumeIds: z.array(z.string()),
  flashboot: z.boolean().optional(),
  workersMin: z.int(),
  workersMax: z.int(),
  idleTimeout: z.int().meta({ description: "In seconds." }),
  type: z.enum(ENDPOINT_TYPES),
  scalerType: z.enum(SCALER_TYPES),
  scalerValue: z.int(),
  executionTimeoutMs: z.int(),
  retries: z.strictObject({ workerLost: z.int(), handlerError: z.int() }),
  requestsPerWorker: z.int(),
  env: z.record(z.string(), z.string()),
  version: z.int(),
  createdAt: instant(),
  userId: z.string(),
  instanceIds: z.array(z.string()).optional().meta({ description: "Of a CPU endpoint." }),
  template: templateSchema.optional(),
  workers: z.array(workerSchema).optional(),
});

/** What reading and listing endpoints can be asked for. */
export const endpointQuery = z.object({
  includeTemplate: flagParameter("`true`: the whole template stands in the endpoint."),
  includeWorkers: flagParameter("`true`: its workers stand in the endpoint."),
});
