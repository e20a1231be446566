/** `PATCH /pods/{id}`: changes a pod; unless it is done in place, one that runs is reset (live). */
import { podChangesSchema, readPodChanges } from "../../core/pods/pod-input.ts";
import { updatePod as update } from "../../engine/pods/manage-pods.ts";
import { jsonAnswer } from "../answers/answer.ts";
import { json } from "../schemas/contract.ts";
import { podSchema } from "../schemas/pod.ts";
import { readJsonBody } from "../requests/json-body.ts";
import type { Operation, PodPath } from "../operation.ts";
import { podBody } from "./pod-body.ts";

export const updatePod: Operation<PodPath> = {
  methods: ["PATCH", "PUT"],
  path: "/v1/pods/:podId",
  aliases: [{ methods: ["POST"], path: "/v1/pods/:podId/update" }],
  body: "read",
  contract: {
    tag: "pods",
    takes: podChangesSchema,
    answers: { 200: json("The pod as it is now.", podSchema) },
    errors: ["pod_not_found", "pod_locked", "storage_full"],
  },
  async perform({ service: { engine }, dialect, path, request, response }) {
    const changes = readPodChanges(await readJsonBody(request, response));
    const pod = await update(engine, path.podId, changes);
    return jsonAnswer(dialect.pod(podBody(engine, pod)));
  },
};
