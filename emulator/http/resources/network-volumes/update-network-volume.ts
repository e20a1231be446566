/** `PATCH /networkvolumes/{id}`: renames a network volume or makes it larger (spec; `PUT` is ours). */
import {
  networkVolumeChangeSchema,
  readNetworkVolumeChange,
} from "../../../core/resources/network-volume-input.ts";
import { updateNetworkVolume as update } from "../../../engine/resources/manage-network-volumes.ts";
import { jsonAnswer } from "../../answers/answer.ts";
import { readJsonBody } from "../../requests/json-body.ts";
import type { NetworkVolumePath, Operation } from "../../operation.ts";
import { json } from "../../schemas/contract.ts";
import { networkVolumeSchema } from "../../schemas/network-volume.ts";

export const updateNetworkVolume: Operation<NetworkVolumePath> = {
  methods: ["PATCH", "PUT"],
  path: "/v1/networkvolumes/:networkVolumeId",
  aliases: [{ methods: ["POST"], path: "/v1/networkvolumes/:networkVolumeId/update" }],
  body: "read",
  contract: {
    tag: "network volumes",
    takes: networkVolumeChangeSchema,
    answers: { 200: json("The network volume as it is now.", networkVolumeSchema) },
    errors: ["network_volume_not_found", "storage_full"],
  },
  async perform({ service, path, request, response }) {
    const change = readNetworkVolumeChange(await readJsonBody(request, response));
    return jsonAnswer(await update(service.engine, path.networkVolumeId, change));
  },
};
