/** Operations on network volumes in the second version of REST. */
import { z } from "zod";
import { DATA_CENTER, DATA_CENTERS } from "../../../core/catalog/data-centers.ts";
import { NAME_MAX_CHARACTERS } from "../../../core/input/input-fields.ts";
import type { NetworkVolumeInput } from "../../../core/resources/network-volumes/network-volume-input.ts";
import {
  DEFAULT_VOLUME_TYPE,
  type NetworkVolume,
  VOLUME_TYPES,
} from "../../../core/resources/network-volumes/network-volume.ts";
import { invalidRequest } from "../../../core/service-error.ts";
import {
  createNetworkVolume,
  deleteNetworkVolume,
  listNetworkVolumes,
  updateNetworkVolume,
} from "../../../engine/resources/manage-network-volumes.ts";
import { answered } from "../../schemas/contract.ts";
import { Collection } from "../rest-v2/collection.ts";

const SIZE_GB = { min: 10, max: 4_096 };

const name = z.string().min(1).max(NAME_MAX_CHARACTERS);
const size = z.int().min(SIZE_GB.min).max(SIZE_GB.max).meta({ description: "In GB." });

const creationSchema = z
  .strictObject({
    name,
    size,
    dataCenter: z
      .string()
      .min(1)
      .meta({ examples: ["EU-RO-1"] }),
    type: z.enum(VOLUME_TYPES).optional(),
  })
  .meta({ id: "CreateNetworkVolume" });

const changeSchema = z
  .strictObject({ name: name.optional(), size: size.optional() })
  .refine((change) => Object.keys(change).length > 0, { error: "minProperties: got 0, want 1" })
  .meta({ id: "UpdateNetworkVolume", minProperties: 1 });

const volumeSchema = answered("NetworkVolume", {
  id: z.string(),
  name: z.string(),
  size: z.int().meta({ description: "In GB." }),
  dataCenter: z.string(),
  type: z.enum(VOLUME_TYPES),
});

const volume = new Collection({
  tag: "network volumes",
  path: "/v2/network-volumes",
  id: "networkVolumeId",
  list: "networkVolumes",
  name: "The network volume",
  schema: volumeSchema,
  // The time of creation is not stored.
  placeOf: ({ id }) => ({ at: "", id }),
  show: volumeBodyV2,
});

export const NETWORK_VOLUME_V2_OPERATIONS = {
  /** `GET /network-volumes`: the network volumes (live). */
  listNetworkVolumesV2: volume.listing(async ({ service }) => listNetworkVolumes(service.engine)),
  /** `POST /network-volumes`: creates a network volume, its directory and its bucket (live). */
  createNetworkVolumeV2: volume.creation(
    { takes: creationSchema, errors: ["invalid_request", "storage_full"] },
    ({ service }, body) => createNetworkVolume(service.engine, volumeInputOf(body)),
  ),
  /** `GET /network-volumes/{id}`: one network volume (live). */
  readNetworkVolumeV2: volume.reading(["network_volume_not_found"], async ({ service }, id) =>
    service.engine.directory.volume(id),
  ),
  /** `PATCH /network-volumes/{id}`: renames or enlarges a network volume (live). */
  updateNetworkVolumeV2: volume.change(
    {
      takes: changeSchema,
      errors: ["network_volume_not_found", "invalid_request", "storage_full"],
    },
    ({ service }, id, change) => updateNetworkVolume(service.engine, id, change),
  ),
  /** `DELETE /network-volumes/{id}`: deletes an unused network volume with all its files (live). */
  deleteNetworkVolumeV2: volume.deletion(
    ["network_volume_not_found", "in_use", "storage_full"],
    deleteNetworkVolume,
    "The volume and its files are deleted.",
  ),
};

/** @throws ServiceError invalid_request for an invalid data centre, with the known ones (live) */
function volumeInputOf({
  dataCenter,
  type,
  ...input
}: z.infer<typeof creationSchema>): NetworkVolumeInput {
  if (!DATA_CENTER.test(dataCenter)) throw noDataCenter(dataCenter);
  return { ...input, dataCenterId: dataCenter, ...(type !== undefined && { type }) };
}

function volumeBodyV2({ dataCenterId, type, ...shown }: NetworkVolume) {
  return { ...shown, dataCenter: dataCenterId, type: type ?? DEFAULT_VOLUME_TYPE };
}

function noDataCenter(id: string) {
  const all = DATA_CENTERS.map((each) => each.id).join(", ");
  return invalidRequest([
    `Data center ${JSON.stringify(id)} not found or does not support network volumes. Available data centers: ${all}`,
  ]);
}
