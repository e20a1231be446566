/** `GET /networkvolumes`: all network volumes as a bare array (spec). */
import { listNetworkVolumes as list } from "../../../engine/resources/manage-network-volumes.ts";
import { jsonAnswer } from "../../answers/answer.ts";
import type { Operation } from "../../operation.ts";
import { z } from "zod";
import { json } from "../../schemas/contract.ts";
import { networkVolumeSchema } from "../../schemas/network-volume.ts";

export const listNetworkVolumes: Operation = {
  methods: ["GET"],
  path: "/v1/networkvolumes",
  body: "skipped",
  contract: {
    tag: "network volumes",
    answers: { 200: json("In order of their names.", z.array(networkVolumeSchema)) },
  },
  async perform({ service }) {
    return jsonAnswer(list(service.engine));
  },
};
