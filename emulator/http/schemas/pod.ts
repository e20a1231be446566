/** Pods as the management interface answers them (live), workers in the same shape among them, and what can be asked for. */
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
  includeMachine: flagParameter("`true`: with the machine it is on."),
  includeNetworkVolume: flagParameter("`true`: with its network volume."),
  includeSavingsPlans: flagParameter("`true`: with its savings plans, of which there are none."),
  includeTemplate: flagParameter("`true`: with the template it was made of."),
  includeWorkers: flagParameter("`true`: workers of endpoints as well."),
};

export const podQuery = z.object(includes);

export const podsQuery = z.object({ ...includes, ...POD_FILTERS });
