/** Usage entries, the basis of bills: what ran, when, and at which price. */
import type { VolumeType } from "../resources/network-volumes/network-volume.ts";

interface Span {
  /** Ascends with time. */
  readonly id: string;
  /** Service time, ms since the epoch. */
  readonly startedAt: number;
  /** Undefined while the usage goes on. */
  readonly endedAt: number | undefined;
  /** Last moment at which the usage was seen; its end if the service was killed. */
  readonly seenAt: number;
  /** US dollars, fixed at the start of the usage. */
  readonly perHour: number;
  /** GB of container disk, or the size of the volume. */
  readonly diskInGb: number;
}

/** A worker from ready to its end, or a pod while its program runs. */
export interface MachineUsage extends Span {
  readonly kind: "worker" | "pod";
  readonly podId: string;
  readonly endpointId?: string | undefined;
  readonly templateId?: string | undefined;
  readonly imageName: string;
  /** Undefined without a GPU. */
  readonly gpuTypeId?: string | undefined;
  readonly dataCenterId?: string | undefined;
}

/** A network volume for the time that it had one size. */
export interface VolumeUsage extends Span {
  readonly kind: "volume";
  readonly volumeId: string;
  /** Undefined for a standard volume. */
  readonly volumeType?: VolumeType | undefined;
}

export type Usage = MachineUsage | VolumeUsage;
