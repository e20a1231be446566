/** A network volume: files that outlive workers, in the field names of the interface (source: spec). */

/** Types of storage (live); here all are the same (ours). */
export const VOLUME_TYPES = ["STANDARD", "HIGH_PERFORMANCE"] as const;

export type VolumeType = (typeof VOLUME_TYPES)[number];

export const DEFAULT_VOLUME_TYPE: VolumeType = "STANDARD";

export interface NetworkVolume {
  /** 10 lower-case letters and digits. */
  readonly id: string;
  /** Not necessarily unique. */
  readonly name: string;
  /** GB, kept and shown; only the disk of this machine limits a volume. */
  readonly size: number;
  readonly dataCenterId: string;
  /** Absent for the default type; the first version of the interface does not show it. */
  readonly type?: VolumeType | undefined;
}

/** Fields of an endpoint that name its volumes. */
export interface VolumeChoice {
  readonly networkVolumeId?: string | undefined;
  /** One volume per data centre (spec); on one machine, workers get the first. */
  readonly networkVolumeIds?: readonly string[] | undefined;
}

/** The volumes of an endpoint; workers get the first. */
export function volumesOf({
  networkVolumeId,
  networkVolumeIds = [],
}: VolumeChoice): readonly string[] {
  const all = networkVolumeId === undefined ? [] : [networkVolumeId];
  return [...new Set([...all, ...networkVolumeIds])];
}

/** Removes empty ids, which stand for no volume (live). */
export function namedVolumes({ networkVolumeId, networkVolumeIds }: VolumeChoice): VolumeChoice {
  const several = networkVolumeIds?.filter((id) => id !== "") ?? [];
  return {
    ...(networkVolumeId !== undefined && networkVolumeId !== "" && { networkVolumeId }),
    ...(several.length > 0 && { networkVolumeIds: several }),
  };
}
