/** Schema of a worker in the management interface: in the form of a pod. */
import { z } from "zod";
import { answered, instant } from "./contract.ts";

export const workerSchema = answered("Worker", {
  id: z.string(),
  desiredStatus: z.enum(["RUNNING", "EXITED", "TERMINATED"]),
  endpointId: z.string(),
  slsVersion: z.int().meta({ description: "Version of the endpoint that it was started for." }),
  lastStartedAt: instant(),
  gpu: z
    .strictObject({ id: z.string(), displayName: z.string(), count: z.int() })
    .optional()
    .meta({ description: "Its GPUs, if known." }),
  templateId: z.string().optional(),
  image: z.string().optional(),
  containerDiskInGb: z.int().optional(),
  containerRegistryAuthId: z.string().optional(),
  dockerEntrypoint: z.array(z.string()).optional(),
  dockerStartCmd: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional().meta({ description: "Its template's." }),
  ports: z.array(z.string()).optional(),
  volumeInGb: z.int().optional(),
  volumeMountPath: z.string().optional(),
});
