/** The names and labels of what the service makes in a cluster, as short and plain as the cluster wants them. Pure. */
import { createHash } from "node:crypto";
import { digestOf } from "../../core/access/key-ring.ts";
import type { FoundWorker, WorkerOrder } from "../launcher.ts";
import type { SeenPod } from "./seen-pod.ts";

const LABEL = {
  managedBy: "app.kubernetes.io/managed-by",
  name: "app.kubernetes.io/name",
  /** The service, over restarts and replicas. */
  service: "sv-runtime/service",
  endpoint: "sv-runtime/endpoint",
  worker: "sv-runtime/worker",
} as const;

/** Ids may be longer than labels, and of other characters. */
const ANNOTATION = {
  endpoint: "sv-runtime/endpoint-id",
  worker: "sv-runtime/worker-id",
  /** Of the endpoint. */
  version: "sv-runtime/endpoint-version",
  /** By which a later start of the service knows the worker's token. */
  token: "sv-runtime/token-digest",
} as const;

/** A worker that is about to finish its job is not to be moved to another node. */
const KEEP = { "cluster-autoscaler.kubernetes.io/safe-to-evict": "false" };

const OURS = { [LABEL.managedBy]: "sv-runtime", [LABEL.name]: "sv-worker" };

const LABEL_MAX_CHARACTERS = 63;
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)?$/u;

/** Of an endpoint's id and a worker's id; names of pods are host names too. */
const PART_MAX_CHARACTERS = 28;

type Names = Readonly<Record<string, string>>;

/** Of the config map that everything belongs to. */
export function ownerName(service: string): string {
  return `sv-${service}`;
}

export function podName({
  endpoint,
  workerId,
}: Pick<WorkerOrder, "endpoint" | "workerId">): string {
  return ["sv", part(endpoint.id), part(workerId)].filter((each) => each !== "").join("-");
}

/** Of the secret with the variables of the pod's worker. */
export function environmentName(pod: string): string {
  return `${pod}-env`;
}

/** Of the secret with which its image is pulled. */
export function pullName(pod: string): string {
  return `${pod}-pull`;
}

/** The claim behind a network volume, made by those who run the cluster. */
export function claimName(volumeId: string): string {
  return `sv-volume-${part(volumeId)}`;
}

export function labelsOf(
  { endpoint, workerId }: Pick<WorkerOrder, "endpoint" | "workerId">,
  service: string,
): Names {
  return {
    ...serviceLabels(service),
    [LABEL.endpoint]: labelValue(endpoint.id),
    [LABEL.worker]: labelValue(workerId),
  };
}

export function annotationsOf({
  endpoint,
  workerId,
  workerToken,
}: Pick<WorkerOrder, "endpoint" | "workerId" | "workerToken">): Names {
  return {
    ...KEEP,
    [ANNOTATION.endpoint]: endpoint.id,
    [ANNOTATION.worker]: workerId,
    [ANNOTATION.version]: String(endpoint.version),
    [ANNOTATION.token]: digestOf(workerToken),
  };
}

export function serviceLabels(service: string): Names {
  return { ...OURS, [LABEL.service]: service };
}

/** Selects the pods of a service. */
export function selectorOf(service: string): string {
  return `${LABEL.service}=${service}`;
}

/** Whose pod it is; empty texts for one that somebody else labelled. */
export function ownersOf({ metadata: { annotations = {} } }: SeenPod) {
  const { [ANNOTATION.endpoint]: endpointId = "", [ANNOTATION.worker]: workerId = "" } =
    annotations;
  return { endpointId, workerId };
}

/** The worker whose pod it is, as another process of the service finds it. */
export function workerIn(pod: SeenPod): FoundWorker {
  const { annotations = {}, deletionTimestamp } = pod.metadata;
  return {
    ...ownersOf(pod),
    endpointVersion: Number(annotations[ANNOTATION.version]),
    tokenDigest: annotations[ANNOTATION.token] ?? "",
    isLeaving: deletionTimestamp !== undefined,
  };
}

/** Two of which the same would become are told apart by a digest. */
function part(id: string): string {
  const plain = id
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-|-$/gu, "");
  if (plain === id && id.length <= PART_MAX_CHARACTERS) return plain;
  const short = plain.slice(0, PART_MAX_CHARACTERS - 9).replace(/-$/u, "");
  return [short, digest(id)].filter((each) => each !== "").join("-");
}

function labelValue(id: string): string {
  return id.length <= LABEL_MAX_CHARACTERS && LABEL_VALUE.test(id) ? id : digest(id);
}

function digest(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 8);
}
