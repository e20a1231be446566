/** Bodies that create or change a network volume, checked (source: spec). */
import { z } from "zod";
import { DATA_CENTER } from "../../catalog/data-centers.ts";
import {
  fields,
  integer,
  NAME_MAX_CHARACTERS,
  nonEmptyText,
  readFields,
} from "../../input/input-fields.ts";
import type { NetworkVolume } from "./network-volume.ts";

export type NetworkVolumeInput = Omit<NetworkVolume, "id">;

/** Absent fields stay unchanged. */
export interface NetworkVolumeChange {
  readonly name?: string | undefined;
  readonly size?: number | undefined;
}

const MAX_SIZE_GB = 4_000;

const name = nonEmptyText(NAME_MAX_CHARACTERS);
const size = integer(0, MAX_SIZE_GB, " (GB)");

/** The body of `POST /networkvolumes`. */
export const networkVolumeInputSchema = fields({
  name,
  size,
  // Any data centre is accepted: all of them are this machine (ours).
  dataCenterId: nonEmptyText(32).regex(DATA_CENTER, {
    error: "must be a data centre like EU-RO-1",
  }),
}).meta({ id: "NetworkVolumeInput" });

/** The body of `PATCH /networkvolumes/{id}`. */
export const networkVolumeChangeSchema = fields({
  name: name.optional(),
  size: size.optional(),
  dataCenterId: z
    .never({ error: "cannot be changed: a volume stays where it was created" })
    .optional(),
}).meta({ id: "NetworkVolumeChange" });

/** @throws ServiceError `invalid_request` */
export function readNetworkVolumeInput(value: unknown): NetworkVolumeInput {
  return readFields(networkVolumeInputSchema, Object.keys(networkVolumeInputSchema.shape), value);
}

/** @throws ServiceError `invalid_request` */
export function readNetworkVolumeChange(value: unknown): NetworkVolumeChange {
  const known = ["name", "size"];
  const { dataCenterId: _, ...changed } = readFields(networkVolumeChangeSchema, known, value);
  return changed;
}
