/** `GET /networkvolumes/{id}`: one network volume (spec). */
import { readNetworkVolume as read } from "../../../engine/resources/manage-network-volumes.ts";
import { jsonAnswer } from "../../answers/answer.ts";
import type { NetworkVolumePath, Operation } from "../../operation.ts";
import { json } from "../../schemas/contract.ts";
import { networkVolumeSchema } from "../../schemas/network-volume.ts";

export const readNetworkVolume: Operation<NetworkVolumePath> = {
  methods: ["GET"],
  path: "/v1/networkvolumes/:networkVolumeId",
  body: "skipped",
  contract: {
    tag: "network volumes",
    answers: { 200: json("The network volume.", networkVolumeSchema) },
    errors: ["network_volume_not_found"],
  },
  async perform({ service, path }) {
    return jsonAnswer(read(service.engine, path.networkVolumeId));
  },
};
