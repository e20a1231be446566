/** Schemas of pods in the management interface (live), also of workers in the same form, and of their queries. */
import { z } from "zod";
import { flagParameter } from "../../core/input/query-parameters.ts";
import { POD_FILTERS } from "../../core/pods/pod-filter.ts";
import { POD_STATUSES } from "../../core/pods/pod.ts";
import { answered, instant } from "./contract.ts";
import { networkVolumeSchema } from "./network-volume.ts";
import { templateSchema } from "./template.ts";

const machineSchema = answered("Machine", {
  gpuTypeId: z.string().optional(),
  dataCenterId: z.string(),
  cpuCount: z.int(),
  secureCloud: z.boolean(),
  supportPublicIp: z.boolean(),
  costPerHr: z.number(),
  gpuAvailable: z.int().optional(),
});

export const podSchema = answered("Pod", {
  id: z.string(),
  name: z.string().optional(),
  image: z.string().optional(),
  templateId: z.string().optional(),
  desiredStatus: z.enum(POD_STATUSES),
  endpointId: z.string().optional(),
  slsVersion: z.int().optional(),
  consumerUserId: z.string().optional(),
  machineId: z.string().optional(),
  gpu: z.strictObject({ id: z.string(), displayName: z.string(), count: z.int() }).optional(),
  cpuFlavorId: z.string().optional(),
  vcpuCount: z.number().optional(),
  memoryInGb: z.number().optional(),
  costPerHr: z.number().optional(),
  adjustedCostPerHr: z.number().optional(),
  containerDiskInGb: z.int().nullable().optional(),
  volumeInGb: z.int().nullable().optional(),
  volumeMountPath: z.string().optional(),
  volumeEncrypted: z.boolean().optional(),
  containerRegistryAuthId: z.string().optional(),
  dockerEntrypoint: z.array(z.string()).optional(),
  dockerStartCmd: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  ports: z.array(z.string()).optional(),
  publicIp: z.string().nullable().optional(),
  portMappings: z.record(z.string(), z.int()).nullable().optional(),
  interruptible: z.boolean().optional(),
  locked: z.boolean().optional(),
  lastStartedAt: instant().optional(),
  lastStatusChange: z.string().optional(),
  machine: machineSchema.optional(),
  networkVolume: networkVolumeSchema.optional(),
  savingsPlans: z.array(z.unknown()).optional(),
  template: templateSchema.optional(),
});

const includes = {
  includeMachine: flagParameter("`true`: includes the machine."),
  includeNetworkVolume: flagParameter("`true`: includes the network volume."),
  includeSavingsPlans: flagParameter("`true`: includes savings plans; pods here have none."),
  includeTemplate: flagParameter("`true`: includes the template."),
  includeWorkers: flagParameter("`true`: includes workers of endpoints."),
};

export const podQuery = z.object(includes);

export const podsQuery = z.object({ ...includes, ...POD_FILTERS });
