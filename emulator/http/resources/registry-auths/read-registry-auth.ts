/** `GET /containerregistryauth/{id}`: one container registry auth (live). */
import { readRegistryAuth as read } from "../../../engine/resources/manage-registry-auths.ts";
import { jsonAnswer } from "../../answers/answer.ts";
import { json } from "../../schemas/contract.ts";
import { registryAuthSchema } from "../../schemas/registry-auth.ts";
import type { Operation, RegistryAuthPath } from "../../operation.ts";
import { registryAuthBody } from "./registry-auth-body.ts";

export const readRegistryAuth: Operation<RegistryAuthPath> = {
  methods: ["GET"],
  path: "/v1/containerregistryauth/:containerRegistryAuthId",
  body: "skipped",
  contract: {
    tag: "container registry auths",
    answers: { 200: json("The auth, without its credentials.", registryAuthSchema) },
    errors: ["registry_auth_not_found"],
  },
  async perform({ service, path }) {
    return jsonAnswer(registryAuthBody(await read(service.engine, path.containerRegistryAuthId)));
  },
};
