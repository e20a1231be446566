/** `POST /containerregistryauth`: keeps the credentials of a registry, encrypted (spec). */
import {
  readRegistryAuthInput,
  registryAuthInputSchema,
} from "../../../core/resources/registry-auth-input.ts";
import { createRegistryAuth as create } from "../../../engine/resources/manage-registry-auths.ts";
import { jsonAnswer } from "../../answers/answer.ts";
import { json } from "../../schemas/contract.ts";
import { registryAuthSchema } from "../../schemas/registry-auth.ts";
import { readJsonBody } from "../../requests/json-body.ts";
import type { Operation } from "../../operation.ts";
import { registryAuthBody } from "./registry-auth-body.ts";

export const createRegistryAuth: Operation = {
  methods: ["POST"],
  path: "/v1/containerregistryauth",
  body: "read",
  contract: {
    tag: "container registry auths",
    takes: registryAuthInputSchema,
    answers: { 200: json("The auth, without its credentials.", registryAuthSchema) },
    errors: ["registry_auth_name_taken", "secrets_unusable", "storage_full"],
  },
  async perform({ service, request, response }) {
    const input = readRegistryAuthInput(await readJsonBody(request, response));
    return jsonAnswer(registryAuthBody(await create(service.engine, input)));
  },
};
