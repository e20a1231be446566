/** Names and labels of the objects that the service makes in a cluster, within the cluster's rules. Pure. */
import { createHash } from "node:crypto";
import { digestOf } from "../../core/access/key-ring.ts";
import type { FoundWorker, WorkerOrder } from "../launcher.ts";
import type { SeenPod } from "./seen-pod.ts";

const LABEL = {
  managedBy: "app.kubernetes.io/managed-by",
  name: "app.kubernetes.io/name",
  /** Id of the service, the same after restarts and at all replicas. */
  service: "sv-runtime/service",
  endpoint: "sv-runtime/endpoint",
  worker: "sv-runtime/worker",
} as const;

/** Annotations hold the ids themselves, which may be too long for labels or have other characters. */
const ANNOTATION = {
  endpoint: "sv-runtime/endpoint-id",
  worker: "sv-runtime/worker-id",
  version: "sv-runtime/endpoint-version",
  /** Digest by which a later start of the service recognizes the worker's token. */
  token: "sv-runtime/token-digest",
} as const;

/** Annotation that stops the autoscaler from moving a worker with a job to another node. */
const KEEP = { "cluster-autoscaler.kubernetes.io/safe-to-evict": "false" };

const OURS = { [LABEL.managedBy]: "sv-runtime", [LABEL.name]: "sv-worker" };

const LABEL_MAX_CHARACTERS = 63;
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)?$/u;

/** Maximum length of an id within a pod's name, which is a host name too. */
const PART_MAX_CHARACTERS = 28;

type Names = Readonly<Record<string, string>>;

export function ownerName(service: string): string {
  return `sv-${service}`;
}

export function podName({
  endpoint,
  workerId,
}: Pick<WorkerOrder, "endpoint" | "workerId">): string {
  return ["sv", part(endpoint.id), part(workerId)].filter((each) => each !== "").join("-");
}

/** Name of the secret with the variables of a pod's worker. */
export function environmentName(pod: string): string {
  return `${pod}-env`;
}

/** Name of the secret with the credentials for a pod's image. */
export function pullName(pod: string): string {
  return `${pod}-pull`;
}

/** Name of the claim for a network volume. The cluster's administrator makes the claim. */
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

export function selectorOf(service: string): string {
  return `${LABEL.service}=${service}`;
}

/** Endpoint and worker of a pod; empty for a pod that another program labelled. */
export function ownersOf({ metadata: { annotations = {} } }: SeenPod) {
  const { [ANNOTATION.endpoint]: endpointId = "", [ANNOTATION.worker]: workerId = "" } =
    annotations;
  return { endpointId, workerId };
}

/** The worker of a pod that another process of the service made. */
export function workerIn(pod: SeenPod): FoundWorker {
  const { annotations = {}, deletionTimestamp } = pod.metadata;
  return {
    ...ownersOf(pod),
    endpointVersion: Number(annotations[ANNOTATION.version]),
    tokenDigest: annotations[ANNOTATION.token] ?? "",
    isLeaving: deletionTimestamp !== undefined,
  };
}

/** The id in plain letters. A digest is added if two ids could become the same. */
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
