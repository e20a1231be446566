/** A pod: one container without a queue, and its wanted state (source: spec; fields: live). */

export const POD_STATUSES = ["RUNNING", "EXITED", "TERMINATED"] as const;
export type PodStatus = (typeof POD_STATUSES)[number];

export const CLOUD_TYPES = ["SECURE", "COMMUNITY"] as const;
/** Whether a list of preferences is used in its order or by availability. */
export const PRIORITIES = ["availability", "custom"] as const;

/** Container settings; null: no disk of that kind. */
export interface PodContainer {
  readonly imageName: string;
  readonly containerDiskInGb: number | null;
  readonly volumeInGb: number | null;
  readonly volumeMountPath: string;
  readonly containerRegistryAuthId?: string | undefined;
  readonly dockerEntrypoint: readonly string[];
  readonly dockerStartCmd: readonly string[];
  /** Entry point and command as one text, as written; valid while it matches them (`core/resources/templates/docker-args.ts`). */
  readonly dockerArgs?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Each `<port>/http` or `<port>/tcp`. */
  readonly ports: readonly string[];
}

/** Preferences about the machine: checked, kept and shown, without effect. */
export interface PodMachine {
  readonly computeType: "GPU" | "CPU";
  readonly cloudType: (typeof CLOUD_TYPES)[number];
  readonly gpuTypeIds: readonly string[];
  readonly gpuTypePriority: (typeof PRIORITIES)[number];
  readonly gpuCount: number;
  readonly cpuFlavorIds?: readonly string[] | undefined;
  readonly cpuFlavorPriority: (typeof PRIORITIES)[number];
  readonly vcpuCount: number;
  readonly dataCenterIds?: readonly string[] | undefined;
  readonly dataCenterPriority: (typeof PRIORITIES)[number];
  readonly countryCodes?: readonly string[] | undefined;
  readonly allowedCudaVersions?: readonly string[] | undefined;
  readonly minCudaVersion?: string | undefined;
  readonly minRAMPerGPU: number;
  readonly minVCPUPerGPU: number;
  readonly minDiskBandwidthMBps?: number | undefined;
  readonly minDownloadMbps?: number | undefined;
  readonly minUploadMbps?: number | undefined;
  readonly supportPublicIp?: boolean | undefined;
}

export interface Pod extends PodContainer, PodMachine {
  /** 14 lower-case letters and digits. */
  readonly id: string;
  readonly name: string;
  readonly templateId?: string | undefined;
  readonly networkVolumeId?: string | undefined;
  readonly interruptible: boolean;
  /** A locked pod can be neither stopped nor reset. */
  readonly locked: boolean;
  readonly globalNetworking: boolean;
  /** The wanted state. */
  readonly desiredStatus: PodStatus;
  /** True: the last start failed. */
  readonly hasFailed?: boolean | undefined;
  /** ISO 8601, UTC, like the other instants. */
  readonly createdAt: string;
  readonly lastStartedAt: string;
  /** The last action on the pod and its time, as a text. */
  readonly lastStatusChange: string;
}
