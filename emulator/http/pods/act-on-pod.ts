/** What the operations that start, stop, restart and reset a pod have in common: they answer the pod (live). */
import type { PodAction } from "../../core/pods/pod-life.ts";
import { actOn } from "../../engine/pods/manage-pods.ts";
import { jsonAnswer } from "../answers/answer.ts";
import { json } from "../schemas/contract.ts";
import { podSchema } from "../schemas/pod.ts";
import type { Operation, PodPath } from "../operation.ts";
import { podBody } from "./pod-body.ts";

export function podActionOperation(action: PodAction): Operation<PodPath> {
  return {
    methods: ["POST"],
    path: `/v1/pods/:podId/${action}`,
    body: "skipped",
    contract: {
      tag: "pods",
      answers: { 200: json("The pod as it is now.", podSchema) },
      errors: [
        "pod_not_found",
        ...(action === "start" ? [] : ["pod_locked" as const]),
        "storage_full",
      ],
    },
    async perform({ service: { engine }, dialect, path }) {
      const pod = await actOn(engine, path.podId, action);
      return jsonAnswer(dialect.pod(podBody(engine, pod)));
    },
  };
}
