/** `DELETE /pods/{id}`: ends and deletes a pod (live). */
import { deletePod as remove } from "../../engine/pods/manage-pods.ts";
import { NO_CONTENT } from "../answers/answer.ts";
import { noContent } from "../schemas/contract.ts";
import type { Operation, PodPath } from "../operation.ts";

export const deletePod: Operation<PodPath> = {
  methods: ["DELETE"],
  path: "/v1/pods/:podId",
  body: "skipped",
  contract: {
    tag: "pods",
    answers: { 204: noContent("It is gone.") },
    errors: ["pod_not_found", "storage_full"],
  },
  async perform({ service, path }) {
    await remove(service.engine, path.podId);
    return NO_CONTENT;
  },
};
