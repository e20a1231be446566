/** `GET /containerregistryauth`: all container registry auths as a bare array (live). */
import { z } from "zod";
import { listRegistryAuths as list } from "../../../engine/resources/manage-registry-auths.ts";
import { jsonAnswer } from "../../answers/answer.ts";
import { json } from "../../schemas/contract.ts";
import { registryAuthSchema } from "../../schemas/registry-auth.ts";
import type { Operation } from "../../operation.ts";
import { registryAuthBody } from "./registry-auth-body.ts";

export const listRegistryAuths: Operation = {
  methods: ["GET"],
  path: "/v1/containerregistryauth",
  body: "skipped",
  contract: {
    tag: "container registry auths",
    answers: { 200: json("In order of their names.", z.array(registryAuthSchema)) },
  },
  async perform({ service }) {
    return jsonAnswer((await list(service.engine)).map(registryAuthBody));
  },
};
