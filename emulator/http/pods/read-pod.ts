/** `GET /pods/{id}`: one pod (live). */
import { readPod as read } from "../../engine/pods/manage-pods.ts";
import { jsonAnswer } from "../answers/answer.ts";
import { json } from "../schemas/contract.ts";
import { podQuery, podSchema } from "../schemas/pod.ts";
import type { Operation, PodPath } from "../operation.ts";
import { podBody, readPodIncludes } from "./pod-body.ts";

export const readPod: Operation<PodPath> = {
  methods: ["GET"],
  path: "/v1/pods/:podId",
  body: "skipped",
  contract: {
    tag: "pods",
    query: podQuery,
    answers: { 200: json("The pod.", podSchema) },
    errors: ["pod_not_found"],
  },
  async perform({ service: { engine }, dialect, path, query }) {
    const includes = readPodIncludes(query);
    const pod = await read(engine, path.podId);
    return jsonAnswer(dialect.pod(podBody(engine, pod, includes)));
  },
};
