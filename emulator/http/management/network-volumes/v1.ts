/** Operations on network volumes. */
import {
  networkVolumeChangeSchema,
  networkVolumeInputSchema,
  readNetworkVolumeChange,
  readNetworkVolumeInput,
} from "../../../core/resources/network-volumes/network-volume-input.ts";
import {
  createNetworkVolume,
  deleteNetworkVolume,
  listNetworkVolumes,
  updateNetworkVolume,
} from "../../../engine/resources/manage-network-volumes.ts";
import { networkVolumeSchema } from "../../schemas/network-volume.ts";
import { Resource } from "../v1/resource.ts";
import { volumeBody } from "./volume-body.ts";

const volume = new Resource({
  tag: "network volumes",
  path: "/v1/networkvolumes",
  id: "networkVolumeId",
  name: "The network volume",
  schema: networkVolumeSchema,
  show: volumeBody,
});

export const NETWORK_VOLUME_OPERATIONS = {
  /** `POST /networkvolumes`: creates a network volume, its directory and its bucket (spec). */
  createNetworkVolume: volume.creation(
    { takes: networkVolumeInputSchema, errors: ["storage_full"] },
    (engine, body) => createNetworkVolume(engine, readNetworkVolumeInput(body)),
  ),
  /** `GET /networkvolumes`: all network volumes as a bare array (spec). */
  listNetworkVolumes: volume.listing("In order of their names.", async (engine) =>
    listNetworkVolumes(engine),
  ),
  /** `GET /networkvolumes/{id}`: one network volume (spec). */
  readNetworkVolume: volume.reading(["network_volume_not_found"], async ({ directory }, id) =>
    directory.volume(id),
  ),
  /** `PATCH /networkvolumes/{id}`: renames or enlarges a network volume (spec; `PUT` is ours). */
  updateNetworkVolume: volume.change(
    { takes: networkVolumeChangeSchema, errors: ["network_volume_not_found", "storage_full"] },
    (engine, id, body) => updateNetworkVolume(engine, id, readNetworkVolumeChange(body)),
  ),
  /** `DELETE /networkvolumes/{id}`: deletes an unused network volume with all its files (spec). */
  deleteNetworkVolume: volume.deletion(
    ["network_volume_not_found", "in_use", "storage_full"],
    deleteNetworkVolume,
    "The volume and its files are deleted.",
  ),
};
