/** `GET /pods`: the pods that fit the query as a bare array, and workers if they are asked for (live). */
import { z } from "zod";
import { readPodFilter } from "../../core/pods/pod-filter.ts";
import type { QueryParameters } from "../../core/input/query-parameters.ts";
import type { Uses } from "../../engine/context.ts";
import { listPods as list } from "../../engine/pods/manage-pods.ts";
import { jsonAnswer } from "../answers/answer.ts";
import { json } from "../schemas/contract.ts";
import { podSchema, podsQuery } from "../schemas/pod.ts";
import { workerSchema } from "../schemas/worker.ts";
import type { Operation } from "../operation.ts";
import { podBody, readPodIncludes } from "./pod-body.ts";
import { workerBody } from "./worker-body.ts";

export const listPods: Operation = {
  methods: ["GET"],
  path: "/v1/pods",
  body: "skipped",
  contract: {
    tag: "pods",
    query: podsQuery,
    answers: {
      200: json("Pods, oldest first, then workers.", z.array(z.union([podSchema, workerSchema]))),
    },
  },
  async perform({ service: { engine }, dialect, query }) {
    const includes = readPodIncludes(query);
    const isWanted = readPodFilter(query);
    const pods = (await list(engine)).filter(isWanted);
    const workers = includes.workers ? workersOf(engine, query) : [];
    const shown = [...pods.map((pod) => podBody(engine, pod, includes)), ...workers];
    return jsonAnswer(shown.map((pod) => dialect.pod(pod)));
  },
};

/** Of the filters those for an endpoint and an id are for workers as well. */
function workersOf(
  { fleet, directory }: Uses<"directory" | "fleet">,
  { endpointId, id }: QueryParameters,
) {
  const workers = fleet
    .all()
    .filter((worker) => endpointId === undefined || worker.endpointId === endpointId)
    .filter((worker) => id === undefined || worker.id === id);
  return workers.map((worker) => {
    const endpoint = directory.findEndpoint(worker.endpointId);
    return workerBody(worker, endpoint && directory.findTemplate(endpoint.templateId));
  });
}
