/** `DELETE /containerregistryauth/{id}`: deletes a container registry auth that no template uses (spec). */
import { deleteRegistryAuth as remove } from "../../../engine/resources/manage-registry-auths.ts";
import { NO_CONTENT } from "../../answers/answer.ts";
import { noContent } from "../../schemas/contract.ts";
import type { Operation, RegistryAuthPath } from "../../operation.ts";

export const deleteRegistryAuth: Operation<RegistryAuthPath> = {
  methods: ["DELETE"],
  path: "/v1/containerregistryauth/:containerRegistryAuthId",
  body: "skipped",
  contract: {
    tag: "container registry auths",
    answers: { 204: noContent("It is gone.") },
    errors: ["registry_auth_not_found", "in_use", "storage_full"],
  },
  async perform({ service, path }) {
    await remove(service.engine, path.containerRegistryAuthId);
    return NO_CONTENT;
  },
};
