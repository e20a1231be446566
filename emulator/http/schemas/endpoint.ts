/** Schemas of endpoints in the management interface. */
import { z } from "zod";
import { ENDPOINT_FIELDS } from "../../core/resources/endpoints/endpoint-fields.ts";
import { SCALER_TYPES } from "../../core/resources/endpoints/endpoint.ts";
import { answerShape } from "../../core/resources/fields.ts";
import { flagParameter } from "../../core/input/query-parameters.ts";
import { answered, instant } from "./contract.ts";
import { templateSchema } from "./template.ts";
import { workerSchema } from "./worker.ts";

export const endpointSchema = answered("Endpoint", {
  id: z.string(),
  ...answerShape(ENDPOINT_FIELDS),
  // Fields with a value in every answer.
  name: z.string(),
  scalerType: z.enum(SCALER_TYPES),
  allowedCudaVersions: z.array(z.string()),
  dataCenterIds: z.array(z.string()),
  networkVolumeIds: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  version: z.int(),
  createdAt: instant(),
  userId: z.string(),
  instanceIds: z.array(z.string()).optional().meta({ description: "Only for a CPU endpoint." }),
  template: templateSchema.optional(),
  workers: z.array(workerSchema).optional(),
});

export const endpointQuery = z.object({
  includeTemplate: flagParameter("`true`: includes the whole template."),
  includeWorkers: flagParameter("`true`: includes the workers."),
});
