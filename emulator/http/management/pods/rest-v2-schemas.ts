/** Schemas of pods in the second version of REST (live). */
import { z } from "zod";
import { POD_CPU_FLAVORS } from "../../../core/catalog/cpu-flavors.ts";
import { CLOUD_TYPES } from "../../../core/pods/pod.ts";
import { OBSERVED_STATUSES, TRANSITIONS } from "../../../core/pods/pod-status.ts";
import { CUDA_VERSION } from "../../../core/workers/cuda-requirement.ts";
import { instant } from "../../schemas/contract.ts";
import { containerAnswer, containerFields } from "../templates/rest-v2-container.ts";

const name = z.string().min(1);
const mountPath = z.string().regex(/^\//u);

const persistentMount = z.strictObject({
  size: z.int().min(10).meta({ description: "GB." }),
  path: mountPath,
});

const networkMount = z.strictObject({ volumeId: z.string(), path: mountPath });

const mounts = z.strictObject({
  persistent: persistentMount.optional(),
  network: z.array(networkMount).max(1).optional(),
});

const gpu = z.strictObject({
  id: z
    .string()
    .min(1)
    .meta({
      description: "The name of a GPU type.",
      examples: ["NVIDIA L4", "NVIDIA GeForce RTX 4090"],
    }),
  count: z.int().min(1).default(1),
  allowedCudaVersions: z.array(z.string().regex(CUDA_VERSION)).optional(),
  minCudaVersion: z.string().regex(CUDA_VERSION).optional(),
  minRamPerGpu: z.int().min(1).optional().meta({ description: "GB." }),
  minVcpuCountPerGpu: z.int().min(1).optional(),
});

const cpu = z.strictObject({
  id: z
    .string()
    .min(1)
    .meta({ description: "The name of a CPU flavor.", examples: [...POD_CPU_FLAVORS] }),
  vcpuCount: z.int().min(2).meta({ description: "A power of two." }),
});

/** The body of `POST /v2/pods`. */
export const createPodV2Schema = z
  .strictObject({
    name,
    templateId: z.string().optional(),
    cloud: z.enum(CLOUD_TYPES).default("SECURE"),
    gpu: gpu.optional(),
    cpu: cpu.optional(),
    mounts: mounts.optional(),
    dataCenterIds: z.array(z.string()).optional(),
    globalNetworking: z.boolean().default(false),
    startSsh: z.boolean().optional(),
    startJupyter: z.boolean().optional(),
    ...containerFields,
  })
  .meta({ id: "CreatePodRequest", oneOf: [{ required: ["gpu"] }, { required: ["cpu"] }] });

/** The body of `PATCH /v2/pods/{id}`. */
export const updatePodV2Schema = z
  .strictObject({
    name: name.optional(),
    templateId: z.string().optional(),
    mounts: mounts.optional(),
    globalNetworking: z.boolean().optional(),
    locked: z.boolean().optional(),
    ...containerFields,
  })
  .meta({ id: "UpdatePodRequest" });

/** The body of `POST /v2/pods/{id}/action`. */
export const podActionV2Schema = z
  .strictObject({ action: z.enum(TRANSITIONS) })
  .meta({ id: "PodActionRequest" });

export type CreatePodV2 = z.output<typeof createPodV2Schema>;
export type UpdatePodV2 = z.output<typeof updatePodV2Schema>;

const percent = z.int().optional().meta({ description: "Percent; absent if unknown." });

const ssh = z.strictObject({
  host: z.string(),
  port: z.int(),
  username: z.string(),
  command: z.string(),
});

const port = z.strictObject({
  private: z.int(),
  public: z.int().nullable(),
  type: z.enum(["http", "tcp"]),
  ip: z.string().nullable(),
});

const runtime = z.strictObject({
  uptime: z.int().meta({ description: "Seconds since the start of its program." }),
  gpus: z.array(z.strictObject({ util: percent, memoryUtil: percent })),
  ports: z.array(port),
});

export const podV2Schema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    status: z.enum(OBSERVED_STATUSES),
    actions: z.array(z.enum(TRANSITIONS)),
    ...containerAnswer,
    mounts: z.strictObject({
      persistent: z.strictObject({ size: z.int(), path: z.string() }).optional(),
      network: z.array(z.strictObject({ volumeId: z.string(), path: z.string() })).optional(),
    }),
    gpu: z
      .strictObject({ id: z.string(), count: z.int(), vcpuCount: z.number(), memory: z.number() })
      .optional(),
    cpu: z.strictObject({ id: z.string(), vcpuCount: z.number(), memory: z.int() }).optional(),
    cloud: z.enum(CLOUD_TYPES),
    dataCenterId: z.string().nullable(),
    globalNetworking: z.strictObject({ enabled: z.boolean() }),
    template: z.string().nullable().meta({ description: "Id of its template." }),
    cudaVersion: z.string().nullable(),
    locked: z.boolean(),
    cost: z.number().meta({ description: "US dollars per hour; 0 while it is stopped." }),
    ssh: z.strictObject({ proxy: ssh.nullable(), direct: ssh.nullable() }),
    runtime: runtime.nullable().meta({ description: "Null unless it is RUNNING." }),
    createdAt: instant(),
    startedAt: instant().nullable(),
  })
  .meta({ id: "Pod" });
