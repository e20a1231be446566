/** `POST /networkvolumes`: creates a network volume, its directory and its bucket (spec). */
import {
  networkVolumeInputSchema,
  readNetworkVolumeInput,
} from "../../../core/resources/network-volume-input.ts";
import { createNetworkVolume as create } from "../../../engine/resources/manage-network-volumes.ts";
import { jsonAnswer } from "../../answers/answer.ts";
import { readJsonBody } from "../../requests/json-body.ts";
import type { Operation } from "../../operation.ts";
import { json } from "../../schemas/contract.ts";
import { networkVolumeSchema } from "../../schemas/network-volume.ts";

export const createNetworkVolume: Operation = {
  methods: ["POST"],
  path: "/v1/networkvolumes",
  body: "read",
  contract: {
    tag: "network volumes",
    takes: networkVolumeInputSchema,
    answers: { 200: json("The network volume.", networkVolumeSchema) },
    errors: ["storage_full"],
  },
  async perform({ service, request, response }) {
    const input = readNetworkVolumeInput(await readJsonBody(request, response));
    return jsonAnswer(await create(service.engine, input));
  },
};
