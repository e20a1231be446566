/** `DELETE /networkvolumes/{id}`: deletes a network volume that no endpoint uses, with all its files (spec). */
import { deleteNetworkVolume as remove } from "../../../engine/resources/manage-network-volumes.ts";
import { NO_CONTENT } from "../../answers/answer.ts";
import type { NetworkVolumePath, Operation } from "../../operation.ts";
import { noContent } from "../../schemas/contract.ts";

export const deleteNetworkVolume: Operation<NetworkVolumePath> = {
  methods: ["DELETE"],
  path: "/v1/networkvolumes/:networkVolumeId",
  body: "skipped",
  contract: {
    tag: "network volumes",
    answers: { 204: noContent("It is gone, with its files.") },
    errors: ["network_volume_not_found", "in_use", "storage_full"],
  },
  async perform({ service, path }) {
    await remove(service.engine, path.networkVolumeId);
    return NO_CONTENT;
  },
};
