/** What ran, from when to when, and at which price: the entries that bills are computed from. */
import type { VolumeType } from "../resources/network-volume.ts";

interface Span {
  /** Ascending with time. */
  readonly id: string;
  /** Service time, ms since the epoch. */
  readonly startedAt: number;
  /** Undefined while it goes on. */
  readonly endedAt: number | undefined;
  /** When it was last known to go on: the end of one whose service was killed. */
  readonly seenAt: number;
  /** US dollars, fixed when it began. */
  readonly perHour: number;
  /** GB of container disk, or the volume's size. */
  readonly diskInGb: number;
}

/** A worker from the moment it was ready to its end, or a pod while its program runs. */
export interface MachineUsage extends Span {
  readonly kind: "worker" | "pod";
  /** The worker or the pod. */
  readonly podId: string;
  readonly endpointId?: string | undefined;
  readonly templateId?: string | undefined;
  readonly imageName: string;
  /** Undefined for one without a GPU. */
  readonly gpuTypeId?: string | undefined;
  readonly dataCenterId?: string | undefined;
}

/** A network volume while it had one size. */
export interface VolumeUsage extends Span {
  readonly kind: "volume";
  readonly volumeId: string;
  /** Undefined for a standard one. */
  readonly volumeType?: VolumeType | undefined;
}

export type Usage = MachineUsage | VolumeUsage;
