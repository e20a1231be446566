/** A network volume: files that outlive workers, by the interface's own field names (source: spec). */

/** Kinds of storage (live); here all are the same (ours). */
export const VOLUME_TYPES = ["STANDARD", "HIGH_PERFORMANCE"] as const;

export type VolumeType = (typeof VOLUME_TYPES)[number];

export const DEFAULT_VOLUME_TYPE: VolumeType = "STANDARD";

export interface NetworkVolume {
  /** 10 lower-case letters and digits. */
  readonly id: string;
  /** Need not be unique. */
  readonly name: string;
  /** GB; kept and shown, the disk of this machine is the only bound. */
  readonly size: number;
  readonly dataCenterId: string;
  /** Absent for the default one; the first version of the interface does not show it. */
  readonly type?: VolumeType | undefined;
}

/** The fields by which an endpoint names its volumes. */
export interface VolumeChoice {
  readonly networkVolumeId?: string | undefined;
  /** One for each data centre (spec); where there is one machine, its workers get the first. */
  readonly networkVolumeIds?: readonly string[] | undefined;
}

/** The volumes an endpoint has, the one its workers get first. */
export function volumesOf({
  networkVolumeId,
  networkVolumeIds = [],
}: VolumeChoice): readonly string[] {
  const all = networkVolumeId === undefined ? [] : [networkVolumeId];
  return [...new Set([...all, ...networkVolumeIds])];
}

/** The choice without empty ids, which stand for no volume (live). */
export function namedVolumes({ networkVolumeId, networkVolumeIds }: VolumeChoice): VolumeChoice {
  const several = networkVolumeIds?.filter((id) => id !== "") ?? [];
  return {
    ...(networkVolumeId !== undefined && networkVolumeId !== "" && { networkVolumeId }),
    ...(several.length > 0 && { networkVolumeIds: several }),
  };
}
