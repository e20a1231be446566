/** `GET /containerregistryauth`: all container registry auths as a bare array (live). */
import { z } from "zod";
import { listRegistryAuths as list } from "../../engine/manage-registry-auths.ts";
import { jsonAnswer } from "../answer.ts";
import { json } from "../contract/contract.ts";
import { registryAuthSchema } from "../contract/registry-auth.ts";
import type { Operation } from "../operation.ts";
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
