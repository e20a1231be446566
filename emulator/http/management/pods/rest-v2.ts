/** Operations on pods in the second version of REST. */
import type { WorkerPort } from "../../../engine/workers/worker-port.ts";
import { gpuAvailability } from "../../../core/catalog/gpu-availability.ts";
import type { Pod } from "../../../core/pods/pod.ts";
import { invalidRequest } from "../../../core/service-error.ts";
import type { GpuUse } from "../../../core/workers/gpu-allocation.ts";
import { sshKeys } from "../../../engine/access/account.ts";
import type { PodPort } from "../../../engine/pods/pod-run.ts";
import {
  createPod,
  deletePod,
  listPods,
  readPod,
  transition,
  updatePod,
} from "../../../engine/pods/manage-pods.ts";
import { jsonAnswer, NO_CONTENT } from "../../operation/answers/answer.ts";
import type { Operation } from "../../operation/operation.ts";
import { json, noContent } from "../../schemas/contract.ts";
import { Collection } from "../rest-v2/collection.ts";
import { readBodyV2 } from "../rest-v2/read-closed.ts";
import { podBodyV2 } from "./rest-v2-body.ts";
import { podChangesOf, podInputOf } from "./rest-v2-input.ts";
import {
  type CreatePodV2,
  createPodV2Schema,
  podActionV2Schema,
  podV2Schema,
  updatePodV2Schema,
} from "./rest-v2-schemas.ts";

const PASSWORD_LENGTH = 20;

/** A pod, with the present use of this machine's GPUs. */
interface Shown {
  readonly id: string;
  readonly pod: Pod;
  readonly uses: readonly GpuUse[];
}

const pods = new Collection<Shown>({
  tag: "pods",
  path: "/v2/pods",
  id: "podId",
  list: "pods",
  name: "The pod",
  schema: podV2Schema,
  owner: "service",
  names: {
    imageName: "image",
    containerRegistryAuthId: "registry",
    containerDiskInGb: "disk",
    networkVolumeId: "mounts.network.volumeId",
    volumeMountPath: "mounts.path",
  },
  placeOf: ({ id, pod }) => ({ at: pod.createdAt, id }),
  show: ({ pod, uses }, { service }) => podBodyV2(service.engine, pod, uses),
});

export const POD_V2_OPERATIONS = {
  /** `GET /v2/pods`: a page of the pods, newest first (live). */
  listPodsV2: pods.listing(async ({ service: { engine } }) => shown(engine, listPods(engine))),
  /** `POST /v2/pods`: creates and starts a pod (live). */
  createPodV2: pods.creation(
    {
      takes: createPodV2Schema,
      errors: ["invalid_request", "template_not_found", "storage_full"],
    },
    async ({ service: { engine } }, body) => {
      await refuseWithoutCapacity(engine, body);
      const { templateId } = body;
      const input = podInputOf(body, {
        template: templateId === undefined ? undefined : engine.directory.template(templateId),
        sshKeys: sshKeys(engine),
        password: engine.random.shortId(PASSWORD_LENGTH),
      });
      return showing(engine, await createPod(engine, input));
    },
  ),
  /** `GET /v2/pods/{id}`: one pod (live). */
  readPodV2: pods.reading(["pod_not_found"], async ({ service: { engine } }, id) =>
    showing(engine, readPod(engine, id)),
  ),
  /** `PATCH /v2/pods/{id}`: changes a pod; a running one is reset, unless the change can be made in place (live). */
  updatePodV2: pods.change(
    {
      takes: updatePodV2Schema,
      errors: [
        ...(["pod_not_found", "invalid_request", "template_not_found"] as const),
        ...(["pod_locked", "storage_full"] as const),
      ],
    },
    async ({ service: { engine } }, id, body) => {
      const { templateId } = body;
      const template = templateId === undefined ? undefined : engine.directory.template(templateId);
      const changes = podChangesOf(readPod(engine, id), body, template);
      return showing(engine, await updatePod(engine, id, changes));
    },
  ),
  /** `DELETE /v2/pods/{id}`: ends and deletes a pod (live). */
  deletePodV2: pods.deletion(["pod_not_found", "storage_full"], deletePod),
  /** `POST /v2/pods/{id}/action`: starts, stops, restarts or terminates a pod, as its status allows (live). */
  actOnPodV2: {
    methods: ["POST"],
    path: "/v2/pods/:podId/action",
    owner: "service",
    body: "read",
    contract: {
      tag: "pods",
      takes: podActionV2Schema,
      answers: {
        200: json("The pod after the change.", podV2Schema),
        204: noContent("It is terminated."),
      },
      errors: [
        ...(["pod_not_found", "wrong_pod_status", "pod_locked"] as const),
        ...(["unprocessable", "storage_full"] as const),
      ],
    },
    async perform(call) {
      const { engine } = call.service;
      const { podId } = call.path;
      const { action } = await readBodyV2(call, podActionV2Schema);
      if (action === "terminate") {
        await deletePod(engine, podId);
        return NO_CONTENT;
      }
      const { pod, uses } = await showing(engine, await transition(engine, podId, action));
      return jsonAnswer(podBodyV2(engine, pod, uses));
    },
  } satisfies Operation<{ readonly podId: string }>,
};

/**
 * Refuses a pod that would wait for GPUs that this machine does not have, in the text of the live service.
 * @throws ServiceError invalid_request
 */
async function refuseWithoutCapacity(
  { findGpus }: WorkerPort,
  { gpu }: CreatePodV2,
): Promise<void> {
  if (gpu === undefined) return;
  const { id: typeId, count, allowedCudaVersions, minCudaVersion } = gpu;
  const wanted = { typeId, count, allowedCudaVersions, minCudaVersion };
  if (gpuAvailability(await findGpus(), wanted) === "NONE") throw invalidRequest([NO_CAPACITY]);
}

const NO_CAPACITY =
  "There are no longer any instances available with the requested specifications. Please refresh and try again.";

type Watches = PodPort & WorkerPort;

async function showing(engine: Watches, pod: Pod): Promise<Shown> {
  return { id: pod.id, pod, uses: await usesOf(engine, [pod]) };
}

async function shown(engine: Watches, all: readonly Pod[]): Promise<readonly Shown[]> {
  const uses = await usesOf(engine, all);
  return all.map((pod) => ({ id: pod.id, pod, uses }));
}

/** Asks for the use of GPUs only if a pod has one. */
async function usesOf({ gpuUse, podRuns }: Watches, all: readonly Pod[]) {
  const hasReal = ({ id }: Pod) =>
    podRuns.get(id)?.gpus.some(({ isSimulated }) => !isSimulated) === true;
  return all.some(hasReal) ? gpuUse() : [];
}
