/** Says which nodes have the GPUs that an endpoint asks for, and how many of them a pod takes. Pure. */
import type { V1Affinity, V1Toleration } from "@kubernetes/client-node";
import type { Endpoint } from "../../core/resources/endpoint.ts";

const NODE_ENV = {
  /** Labels of nodes in the place of those by which GPU types are found, like `gpu=l4,zone=a`. */
  selector: "SV_CONTAINER_NODES",
  /** What the device plugin calls a GPU; by the maker of the types that are asked for by default. */
  resource: "SV_CONTAINER_GPU_RESOURCE",
} as const;

/** By NVIDIA's GPU feature discovery, which takes the name that nvidia-smi says. */
const PRODUCT_LABEL = "nvidia.com/gpu.product";

/** Clouds keep all others from their nodes with GPUs. */
const TOLERATIONS: readonly V1Toleration[] = [
  { key: "nvidia.com/gpu", operator: "Exists" },
  { key: "amd.com/gpu", operator: "Exists" },
];

type Wanted = Pick<Endpoint, "computeType" | "gpuCount" | "gpuTypeIds">;
type Variables = Readonly<Record<string, string>>;

export interface GpuPlace {
  /** Resources by their names. */
  readonly limits: Variables;
  readonly affinity?: V1Affinity;
  readonly tolerations?: V1Toleration[];
}

export interface NodePlace extends GpuPlace {
  readonly nodeSelector?: Record<string, string>;
}

/** Any GPU will do where no type is asked for; of several, the first is preferred. */
export function nodePlace(endpoint: Wanted, env: Variables): NodePlace {
  const nodeSelector = readSelector(env[NODE_ENV.selector] ?? "");
  const chosen = Object.keys(nodeSelector).length > 0 ? { nodeSelector } : {};
  if (endpoint.computeType !== "GPU") return { ...chosen, limits: {} };
  const { gpuCount, gpuTypeIds } = endpoint;
  const resource = env[NODE_ENV.resource] || resourceOf(gpuTypeIds);
  const isFound = "nodeSelector" in chosen || gpuTypeIds.length === 0;
  return {
    ...chosen,
    limits: { [resource]: String(gpuCount) },
    tolerations: [...TOLERATIONS],
    ...(!isFound && { affinity: affinityOf(gpuTypeIds) }),
  };
}

function resourceOf(typeIds: readonly string[]): string {
  const isAmd = typeIds.length > 0 && typeIds.every((typeId) => typeId.startsWith("AMD "));
  return isAmd ? "amd.com/gpu" : "nvidia.com/gpu";
}

function affinityOf(typeIds: readonly string[]): V1Affinity {
  const isOne = (types: readonly string[]) => ({
    matchExpressions: [
      { key: PRODUCT_LABEL, operator: "In", values: [...new Set(types.flatMap(productNames))] },
    ],
  });
  return {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [isOne(typeIds)] },
      preferredDuringSchedulingIgnoredDuringExecution: typeIds.map((typeId, index) => ({
        weight: Math.max(1, 100 - index),
        preference: isOne([typeId]),
      })),
    },
  };
}

/** A label has no spaces; drivers before 450 leave out the maker, and GPUs that are shared have it behind their name. */
export function productNames(typeId: string): readonly string[] {
  const name = typeId.trim().replaceAll(/\s+/gu, "-");
  const names = [name, name.replace(/^NVIDIA-/u, "")];
  return [...new Set([...names, ...names.map((each) => `${each}-SHARED`)])];
}

/** What is no `label=value` is passed over. */
function readSelector(text: string): Record<string, string> {
  const pairs = text.split(",").flatMap((each) => {
    const [, label = "", value = ""] = /^\s*([^=\s]+)\s*=\s*(\S*)\s*$/u.exec(each) ?? [];
    return label === "" ? [] : [[label, value] as const];
  });
  return Object.fromEntries(pairs);
}
