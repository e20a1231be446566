/**
 * Writes the manifest of a worker's pod: program, variables, mounts, limits, privileges, nodes. For Kubernetes 1.20 and later.
 * Pure.
 */
import type {
  V1Container,
  V1OwnerReference,
  V1Pod,
  V1PodSpec,
  V1Secret,
  V1Volume,
  V1VolumeMount,
} from "@kubernetes/client-node";
import { WORKER_ENV } from "../../../runtime/protocol/environment/worker-env.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { volumesOf } from "../../core/resources/network-volumes/network-volume.ts";
import type { RegistryCredentials } from "../../core/resources/registry-auths/registry-auth.ts";
import { registryOf } from "../../docker/registry-of.ts";
import { containerEnvironment, isServer, volumePaths } from "../container-environment.ts";
import type { ContainerSettings } from "../container-settings.ts";
import type { WorkerOrder } from "../launcher.ts";
import type { LiveService } from "../live-environment.ts";
import { serverSettings } from "../server-settings.ts";
import { type NodePlace, nodePlace } from "./gpu-nodes.ts";
import {
  annotationsOf,
  claimName,
  environmentName,
  labelsOf,
  podName,
  pullName,
} from "./pod-names.ts";
import { overTemplate, type PodTemplate } from "./pod-template.ts";

const CONTAINER = "worker";

/** How a worker in the cluster reaches the service. */
export interface PodPlaces {
  /** Address of the worker port for pods. */
  readonly serviceAddress: string;
  /** The token by which the worker identifies itself at the worker port. */
  readonly workerToken: string;
  /** More variables. The template's variables override them. */
  readonly env: Readonly<Record<string, string>>;
  /** How the worker reaches the service by the live protocol. Absent if it cannot. */
  readonly live?: LiveService | undefined;
}

export interface PodFrame {
  readonly service: string;
  /** The object that owns everything the service makes in the cluster. */
  readonly owner: V1OwnerReference;
  readonly settings: ContainerSettings;
  readonly places: PodPlaces;
  readonly credentials: RegistryCredentials | undefined;
  /** The pod template of the config, merged under the manifest. */
  readonly template?: PodTemplate | undefined;
}

/** User and group of a container with the least privileges, the same as in this project's images. */
const PLAIN_USER = 1_000;

/** Time between SIGTERM and SIGKILL for a pod that a person deletes. A worker finishes or returns its jobs within 30 s. */
const GRACE_SECONDS = 30 + LIMITS.workerLeaveMs / 1_000;

/** Health command. A foreign image lacks the program, and counts as healthy while it runs. */
const HEALTH = "command -v sv-worker-health >/dev/null 2>&1 || exit 0; exec sv-worker-health";

/** Names of variables that a cluster accepts. */
const VARIABLE = /^[A-Za-z_.-][\w.-]*$/u;

export function podManifest(order: WorkerOrder, frame: PodFrame): V1Pod {
  const { service, owner, template } = frame;
  const pod: V1Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: podName(order),
      labels: labelsOf(order, service),
      annotations: annotationsOf(order),
      ownerReferences: [owner],
    },
    spec: specOf(order, frame),
  };
  return overTemplate(pod, template);
}

/** The secrets of a pod: the worker's variables with its token, and the credentials for its image. The pod only names them. */
export function secretManifests(order: WorkerOrder, frame: PodFrame): readonly V1Secret[] {
  const { service, owner, credentials } = frame;
  const pod = podName(order);
  const labels = labelsOf(order, service);
  const metadata = { labels, ownerReferences: [owner] };
  const own: V1Secret = {
    ...{ apiVersion: "v1", kind: "Secret", type: "Opaque" },
    metadata: { ...metadata, name: environmentName(pod) },
    stringData: environment(order, frame),
  };
  if (credentials === undefined) return [own];
  const config = JSON.stringify(dockerConfig(order.template.imageName, credentials));
  const pull: V1Secret = {
    ...{ apiVersion: "v1", kind: "Secret", type: "kubernetes.io/dockerconfigjson" },
    metadata: { ...metadata, name: pullName(pod) },
    stringData: { ".dockerconfigjson": config },
  };
  return [own, pull];
}

function specOf(order: WorkerOrder, frame: PodFrame): V1PodSpec {
  const { settings, credentials } = frame;
  const { limits, ...nodes } = nodePlace(order.endpoint, order.template.env, settings.platform);
  return {
    restartPolicy: "Never",
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    ...nodes,
    ...(!settings.asImage && {
      securityContext: {
        runAsNonRoot: true,
        runAsUser: PLAIN_USER,
        runAsGroup: PLAIN_USER,
        fsGroup: PLAIN_USER,
        seccompProfile: { type: "RuntimeDefault" },
      },
    }),
    ...(credentials && { imagePullSecrets: [{ name: pullName(podName(order)) }] }),
    containers: [containerOf(order, frame, limits)],
    volumes: volumesFor(order, settings),
  };
}

function containerOf(
  order: WorkerOrder,
  { settings }: PodFrame,
  gpuLimits: NodePlace["limits"],
): V1Container {
  const { template } = order;
  const { dockerEntrypoint: entrypoint, dockerStartCmd: command } = template;
  return {
    name: CONTAINER,
    image: template.imageName,
    ...(entrypoint.length > 0 && { command: entrypoint.map(literal) }),
    ...(command.length > 0 && { args: command.map(literal) }),
    envFrom: [{ secretRef: { name: environmentName(podName(order)) } }],
    resources: { limits: { ...limitsOf(order, settings), ...gpuLimits } },
    volumeMounts: mountsFor(order, settings),
    ...(isServer(order) && { ports: portsOf(order) }),
    ...(entrypoint.length === 0 && {
      livenessProbe: {
        exec: { command: ["sh", "-c", HEALTH] },
        ...{ initialDelaySeconds: 10, periodSeconds: 15, timeoutSeconds: 5, failureThreshold: 3 },
      },
    }),
    ...(!settings.asImage && {
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      },
    }),
  };
}

/** Escapes `$`, because the cluster would expand variables in arguments, which no image expects. */
function literal(argument: string): string {
  return argument.replaceAll("$", "$$$$");
}

function limitsOf({ template }: WorkerOrder, settings: ContainerSettings): Record<string, string> {
  const { asImage, cpus, memoryBytes } = settings;
  const { containerDiskInGb: diskGb } = template;
  return {
    ...(cpus !== undefined && { cpu: `${Math.round(cpus * 1_000)}m` }),
    ...(Number.isFinite(memoryBytes) && { memory: String(memoryBytes) }),
    ...(asImage && diskGb > 0 && { "ephemeral-storage": `${diskGb}G` }),
  };
}

function portsOf({ template }: WorkerOrder) {
  const { port, healthPort } = serverSettings(template);
  return [...new Set([port, healthPort])].map((each) => ({ containerPort: Number(each) }));
}

function volumesFor(order: WorkerOrder, settings: ContainerSettings): V1Volume[] {
  const { asImage, tmpBytes, shmBytes } = settings;
  const [volumeId] = volumesOf(order.endpoint);
  const inMemory = (bytes: number) => ({ medium: "Memory", sizeLimit: String(bytes) });
  return [
    { name: "shm", emptyDir: inMemory(shmBytes) },
    ...(hasTmp(order, asImage) ? [{ name: "tmp", emptyDir: inMemory(tmpBytes) }] : []),
    ...(volumeId === undefined
      ? []
      : [{ name: "volume", persistentVolumeClaim: { claimName: claimName(volumeId) } }]),
  ];
}

function mountsFor(order: WorkerOrder, { asImage }: ContainerSettings): V1VolumeMount[] {
  const targets = volumesOf(order.endpoint).length > 0 ? volumePaths(order.template) : [];
  return [
    { name: "shm", mountPath: "/dev/shm" },
    ...(hasTmp(order, asImage) ? [{ name: "tmp", mountPath: "/tmp" }] : []),
    ...targets.map((mountPath) => ({ name: "volume", mountPath })),
  ];
}

/** Whether the pod needs its own /tmp: with a read-only root, unless the volume is mounted there. */
function hasTmp({ endpoint, template }: WorkerOrder, asImage: boolean): boolean {
  const isTaken = volumesOf(endpoint).length > 0 && volumePaths(template).includes("/tmp");
  return !asImage && !isTaken;
}

/** @throws Error for a variable with a name that the cluster does not accept */
function environment(order: WorkerOrder, { settings, places }: PodFrame): Record<string, string> {
  const { endpoint } = order;
  const { asImage, cpus, memoryBytes } = settings;
  const limit = Number.isFinite(memoryBytes) ? memoryBytes : undefined;
  const bounds = { asImage, cpus, memoryBytes: limit };
  const told = { ...order, workerToken: places.workerToken };
  const hasVolume = volumesOf(endpoint).length > 0;
  // A pod's standard input is closed from the start, so its end means nothing. The worker's session shows whether the service
  // is there.
  const { [WORKER_ENV.exitOnStdinEnd]: _, ...variables } = containerEnvironment(told, bounds, {
    ...places,
    hasVolume,
  });
  const bad = Object.keys(variables).find((name) => !VARIABLE.test(name));
  if (bad !== undefined)
    throw new Error(
      `the variable ${JSON.stringify(bad)} of the template has a name that pods cannot have`,
    );
  return { ...variables, ...gpuVariables(endpoint) };
}

/**
 * The cluster sets `NVIDIA_VISIBLE_DEVICES` of pods with GPUs. For other pods it is set here, because images for GPUs set it to
 * `all`.
 */
function gpuVariables({ computeType, gpuCount }: WorkerOrder["endpoint"]): Record<string, string> {
  return computeType === "GPU"
    ? { RUNPOD_GPU_COUNT: String(gpuCount) }
    : { NVIDIA_VISIBLE_DEVICES: "void" };
}

function dockerConfig(image: string, { username, password }: RegistryCredentials) {
  const auth = Buffer.from(`${username}:${password}`).toString("base64");
  return { auths: { [registryOf(image)]: { username, password, auth } } };
}
