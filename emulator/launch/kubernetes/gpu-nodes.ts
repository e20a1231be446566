/** Selects the nodes with the GPUs that an endpoint asks for, and sets the number of GPUs of a pod. Pure. */
import type { V1Affinity, V1NodeSelectorRequirement, V1Toleration } from "@kubernetes/client-node";
import { type CudaRequirement, meetsCudaRequirement } from "../../core/workers/cuda-requirement.ts";
import type { Endpoint } from "../../core/resources/endpoints/endpoint.ts";

const NODE_ENV = {
  /** Node labels, like `gpu=l4,zone=a`, which replace the labels of GPU types. */
  selector: "SV_CONTAINER_NODES",
  /** The device plugin's resource name for GPUs. Default: the name by the maker of the requested GPU types. */
  resource: "SV_CONTAINER_GPU_RESOURCE",
} as const;

/** Label by NVIDIA's GPU feature discovery; its value is the GPU's name in nvidia-smi. */
const PRODUCT_LABEL = "nvidia.com/gpu.product";

/** Labels of the newest CUDA version that a node's driver supports. */
const CUDA_LABEL = {
  major: "nvidia.com/cuda.runtime.major",
  minor: "nvidia.com/cuda.runtime.minor",
};

/** Tolerations of the taints with which clouds keep other pods away from GPU nodes. */
const TOLERATIONS: readonly V1Toleration[] = [
  { key: "nvidia.com/gpu", operator: "Exists" },
  { key: "amd.com/gpu", operator: "Exists" },
];

type Wanted = Pick<Endpoint, "computeType" | "gpuCount" | "gpuTypeIds"> & CudaRequirement;
type Variables = Readonly<Record<string, string>>;

export interface GpuPlace {
  /** Limits by resource name. */
  readonly limits: Variables;
  readonly affinity?: V1Affinity;
  readonly tolerations?: V1Toleration[];
}

export interface NodePlace extends GpuPlace {
  readonly nodeSelector?: Record<string, string>;
}

/**
 * Without a GPU type, any GPU is accepted. The first of several types is preferred.
 * @param platform the platform of the image, if it is set
 */
export function nodePlace(endpoint: Wanted, env: Variables, platform?: string): NodePlace {
  const place = nodesOf(endpoint, env);
  if (platform === undefined) return place;
  const [os = "", architecture = ""] = platform.split("/");
  const its = { "kubernetes.io/os": os, "kubernetes.io/arch": architecture };
  return { ...place, nodeSelector: { ...its, ...place.nodeSelector } };
}

function nodesOf(endpoint: Wanted, env: Variables): NodePlace {
  const nodeSelector = readSelector(env[NODE_ENV.selector] ?? "");
  const chosen = Object.keys(nodeSelector).length > 0 ? { nodeSelector } : {};
  if (endpoint.computeType !== "GPU") return { ...chosen, limits: {} };
  const { gpuCount, gpuTypeIds } = endpoint;
  const resource = env[NODE_ENV.resource] || resourceOf(gpuTypeIds);
  const isChosen = "nodeSelector" in chosen;
  const affinity = isChosen ? undefined : affinityOf(endpoint);
  return {
    ...chosen,
    limits: { [resource]: String(gpuCount) },
    tolerations: [...TOLERATIONS],
    ...(affinity && { affinity }),
  };
}

function resourceOf(typeIds: readonly string[]): string {
  const isAmd = typeIds.length > 0 && typeIds.every((typeId) => typeId.startsWith("AMD "));
  return isAmd ? "amd.com/gpu" : "nvidia.com/gpu";
}

function affinityOf({ gpuTypeIds: typeIds, ...cuda }: Wanted): V1Affinity | undefined {
  const types = typeIds.length === 0 ? [] : [isOneOf(typeIds)];
  const terms = cudaTerms(cuda).map((term) => ({ matchExpressions: [...types, ...term] }));
  if (terms.every(({ matchExpressions }) => matchExpressions.length === 0)) return undefined;
  const preferred = typeIds.map((typeId, index) => ({
    weight: Math.max(1, 100 - index),
    preference: { matchExpressions: [isOneOf([typeId])] },
  }));
  return {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms },
      ...(preferred.length > 0 && { preferredDuringSchedulingIgnoredDuringExecution: preferred }),
    },
  };
}

function isOneOf(typeIds: readonly string[]): V1NodeSelectorRequirement {
  const values = [...new Set(typeIds.flatMap(productNames))];
  return { key: PRODUCT_LABEL, operator: "In", values };
}

/** Terms of which at least one must hold, as in `meetsCudaRequirement`. */
function cudaTerms(wanted: CudaRequirement): readonly V1NodeSelectorRequirement[][] {
  const { allowedCudaVersions: allowed = [], minCudaVersion: oldest } = wanted;
  if (allowed.length === 0 && oldest === undefined) return [[]];
  const { major, minor } = CUDA_LABEL;
  const is = (key: string, value = "0") => ({ key, operator: "In", values: [value] });
  const above = (key: string, than: number) => ({ key, operator: "Gt", values: [String(than)] });
  const unknown = [{ key: major, operator: "DoesNotExist" }];
  if (allowed.length > 0) {
    const good = allowed.filter((version) => meetsCudaRequirement(version, wanted));
    const parts = good.map((version) => version.split("."));
    return [unknown, ...parts.map(([first, second]) => [is(major, first), is(minor, second)])];
  }
  const [first = "0", second = "0"] = (oldest ?? "").split(".");
  return [
    unknown,
    [above(major, Number(first))],
    [is(major, first), above(minor, Number(second) - 1)],
  ];
}

/**
 * Possible values of the product label: without spaces, without the maker (drivers before 450), or with a suffix (shared GPUs).
 */
export function productNames(typeId: string): readonly string[] {
  const name = typeId.trim().replaceAll(/\s+/gu, "-");
  const names = [name, name.replace(/^NVIDIA-/u, "")];
  return [...new Set([...names, ...names.map((each) => `${each}-SHARED`)])];
}

/** Ignores every part that is not `label=value`. */
function readSelector(text: string): Record<string, string> {
  const pairs = text.split(",").flatMap((each) => {
    const [, label = "", value = ""] = /^\s*([^=\s]+)\s*=\s*(\S*)\s*$/u.exec(each) ?? [];
    return label === "" ? [] : [[label, value] as const];
  });
  return Object.fromEntries(pairs);
}
