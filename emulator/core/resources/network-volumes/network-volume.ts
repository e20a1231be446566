/** A network volume holds files that outlive workers. Field names are those of the API (source: spec). */

/** Types of storage (live). All types behave the same here (ours). */
export const VOLUME_TYPES = ["STANDARD", "HIGH_PERFORMANCE"] as const;

export type VolumeType = (typeof VOLUME_TYPES)[number];

export const DEFAULT_VOLUME_TYPE: VolumeType = "STANDARD";

export interface NetworkVolume {
  /** 10 lower-case letters and digits. */
  readonly id: string;
  /** Not necessarily unique. */
  readonly name: string;
  /** Size in GB. It is stored and shown but not enforced. */
  readonly size: number;
  readonly dataCenterId: string;
  /** Absent for the default type. REST v1 does not show it. */
  readonly type?: VolumeType | undefined;
}

/** Fields of an endpoint that name its volumes. */
export interface VolumeChoice {
  readonly networkVolumeId?: string | undefined;
  /** One volume per data centre (spec). Workers on one machine get the first. */
  readonly networkVolumeIds?: readonly string[] | undefined;
}

/** Returns the volumes of an endpoint. Workers get the first. */
export function volumesOf({
  networkVolumeId,
  networkVolumeIds = [],
}: VolumeChoice): readonly string[] {
  const all = networkVolumeId === undefined ? [] : [networkVolumeId];
  return [...new Set([...all, ...networkVolumeIds])];
}

/** Removes empty ids. An empty id means no volume (live). */
export function namedVolumes({ networkVolumeId, networkVolumeIds }: VolumeChoice): VolumeChoice {
  const several = networkVolumeIds?.filter((id) => id !== "") ?? [];
  return {
    ...(networkVolumeId !== undefined && networkVolumeId !== "" && { networkVolumeId }),
    ...(several.length > 0 && { networkVolumeIds: several }),
  };
}
