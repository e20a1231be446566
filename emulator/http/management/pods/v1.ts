/** Operations on pods. */
import { z } from "zod";
import {
  podChangesSchema,
  podInputSchema,
  readPodChanges,
  readPodInput,
} from "../../../core/pods/pod-input.ts";
import { readPodFilter } from "../../../core/pods/pod-filter.ts";
import type { PodAction } from "../../../core/pods/pod-life.ts";
import type { Pod } from "../../../core/pods/pod.ts";
import { parseFlags, type QueryParameters } from "../../../core/input/query-parameters.ts";
import type { WorkerPort } from "../../../engine/workers/worker-port.ts";
import type { CatalogPort } from "../../../engine/resources/catalog-port.ts";
import {
  actOn,
  createPod,
  deletePod,
  listPods,
  readPod,
  updatePod,
} from "../../../engine/pods/manage-pods.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import { podsAndWorkers } from "../../replicas/merged-answer.ts";
import type { Operation } from "../../operation/operation.ts";
import { readJsonBody } from "../../operation/requests/json-body.ts";
import { Resource } from "../v1/resource.ts";
import { json } from "../../schemas/contract.ts";
import { podQuery, podSchema, podsQuery } from "../../schemas/pod.ts";
import { workerSchema } from "../../schemas/worker.ts";
import { podBody } from "./v1-body.ts";
import { workerBody } from "./v1-worker-body.ts";

const pod = new Resource({
  tag: "pods",
  path: "/v1/pods",
  id: "podId",
  owner: "service",
  name: "The pod",
  schema: podSchema,
  flags: podQuery,
  show: (shown: Pod, { service, dialect }, flags) =>
    dialect.pod(podBody(service.engine, shown, flags)),
});

const creation: Operation = {
  methods: ["POST"],
  path: "/v1/pods",
  owner: "service",
  body: "read",
  contract: {
    tag: "pods",
    takes: podInputSchema,
    answers: { 201: json("The new pod.", podSchema) },
    errors: ["storage_full"],
  },
  async perform({ service: { engine }, dialect, request, response }) {
    const input = readPodInput(await readJsonBody(request, response));
    const made = await createPod(engine, input);
    const body = dialect.pod(podBody(engine, made, {}));
    return { ...jsonAnswer(body), status: 201, subject: made.id };
  },
};

const listing: Operation = {
  methods: ["GET"],
  path: "/v1/pods",
  owner: "service",
  gather: podsAndWorkers,
  contract: {
    tag: "pods",
    query: podsQuery,
    answers: {
      200: json("Pods, oldest first, then workers.", z.array(z.union([podSchema, workerSchema]))),
    },
  },
  async perform({ service: { engine }, dialect, query }) {
    const flags = parseFlags(query, podQuery);
    const isWanted = readPodFilter(query);
    const pods = listPods(engine).filter(isWanted);
    const workers = flags.includeWorkers ? workersOf(engine, query) : [];
    const shown = [...pods.map((each) => podBody(engine, each, flags)), ...workers];
    return jsonAnswer(shown.map((each) => dialect.pod(each)));
  },
};

export const POD_OPERATIONS = {
  /** `POST /pods`: creates and starts a pod (live). */
  createPod: creation,
  /** `GET /pods`: the pods that match the query as a bare array, with workers on request (live). */
  listPods: listing,
  /** `GET /pods/{id}`: one pod (live). */
  readPod: pod.reading(["pod_not_found"], async (engine, id) => readPod(engine, id)),
  /** `PATCH /pods/{id}`: changes a pod; a running one is reset, unless the change can be made in place (live). */
  updatePod: pod.change(
    { takes: podChangesSchema, errors: ["pod_not_found", "pod_locked", "storage_full"] },
    (engine, id, body) => updatePod(engine, id, readPodChanges(body)),
  ),
  /** `DELETE /pods/{id}`: ends and deletes a pod (live). */
  deletePod: pod.deletion(["pod_not_found", "storage_full"], deletePod),
  /** `POST /pods/{id}/start`: starts a stopped pod; a running one goes on (live). */
  startPod: action("start"),
  /** `POST /pods/{id}/stop`: stops a pod; its volume stays (live). */
  stopPod: action("stop"),
  /** `POST /pods/{id}/restart`: restarts a pod (live). */
  restartPod: action("restart"),
  /** `POST /pods/{id}/reset`: restarts a pod with an empty container disk; its volume stays (live). */
  resetPod: action("reset"),
};

/** Answers with the pod (live). */
function action(name: PodAction): Operation<{ readonly podId: string }> {
  const errors = name === "start" ? [] : (["pod_locked"] as const);
  return {
    methods: ["POST"],
    path: `/v1/pods/:podId/${name}`,
    owner: "service",
    contract: {
      tag: "pods",
      answers: { 200: json("The pod after the change.", podSchema) },
      errors: ["pod_not_found", ...errors, "storage_full"],
    },
    async perform({ service: { engine }, dialect, path }) {
      return jsonAnswer(dialect.pod(podBody(engine, await actOn(engine, path.podId, name), {})));
    },
  };
}

/** The filters for an endpoint and an id apply to workers too. */
function workersOf(
  { fleet, directory }: WorkerPort & CatalogPort,
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
