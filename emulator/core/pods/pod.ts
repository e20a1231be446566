/** A pod: one container without a queue, and what is wanted of it (source: spec; fields: live). */

export const POD_STATUSES = ["RUNNING", "EXITED", "TERMINATED"] as const;
export type PodStatus = (typeof POD_STATUSES)[number];

export const CLOUD_TYPES = ["SECURE", "COMMUNITY"] as const;
/** Whether the order of a list of preferences counts, or what can be had soonest. */
export const PRIORITIES = ["availability", "custom"] as const;

/** What the container is made of; null: no disk of that kind. */
export interface PodContainer {
  readonly imageName: string;
  readonly containerDiskInGb: number | null;
  readonly volumeInGb: number | null;
  readonly volumeMountPath: string;
  readonly containerRegistryAuthId?: string | undefined;
  readonly dockerEntrypoint: readonly string[];
  readonly dockerStartCmd: readonly string[];
  /** Both as the one text they were written as; it counts while it says the same (`core/resources/docker-args.ts`). */
  readonly dockerArgs?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Each `<port>/http` or `<port>/tcp`. */
  readonly ports: readonly string[];
}

/** Preferences about the machine: checked, kept and shown. */
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
  /** It can be neither stopped nor reset. */
  readonly locked: boolean;
  readonly globalNetworking: boolean;
  /** What is wanted of it. */
  readonly desiredStatus: PodStatus;
  /** It could not be started the last time. */
  readonly hasFailed?: boolean | undefined;
  /** ISO 8601, UTC, as the other instants. */
  readonly createdAt: string;
  readonly lastStartedAt: string;
  /** What was done to it last and when, in words. */
  readonly lastStatusChange: string;
}
