/** GPU types in the form of the live service's newer interfaces: pools, without excluded types. Pure. */
import { closestName } from "../../../../runtime/protocol/did-you-mean.ts";
import { GPU_POOLS, GPU_TYPES } from "../../catalog/gpu-types.ts";
import { valueInWords } from "../../input/problem-messages.ts";
import { invalidRequest } from "../../service-error.ts";
import { sameType } from "../../workers/gpu-allocation.ts";
import { GPU_TYPE } from "../../workers/gpu-type.ts";

export interface GpuChoice {
  /** In order of priority. */
  readonly pools: readonly string[];
  readonly excludedTypes: readonly string[];
}

/**
 * Turns the `gpuTypeIds` of an endpoint into pools and excluded types. A type outside all pools forms a pool of the same name.
 * No types, which means any, become all pools (ours). The order of types within a pool is lost.
 */
export function poolsOf(gpuTypeIds: readonly string[]): GpuChoice {
  if (gpuTypeIds.length === 0) return { pools: GPU_POOLS, excludedTypes: [] };
  const pools = [...new Set(gpuTypeIds.map(poolOf))];
  const excludedTypes = pools.flatMap(typesIn).filter((type) => !includes(gpuTypeIds, type));
  return { pools, excludedTypes };
}

/**
 * Turns pools and excluded types into `gpuTypeIds`. The inverse of {@link poolsOf}: all pools in their order become no types,
 * which means any (ours).
 * @throws ServiceError `invalid_request` for no pool, for unknown pools (which its topic names), for excluded types of other
 *   pools, and for pools without a remaining type
 */
export function typesOf(
  pools: readonly string[],
  excludedTypes: readonly string[] = [],
): readonly string[] {
  if (pools.length === 0) throw invalidRequest(["at least one GPU pool is required"]);
  const unknown = pools.flatMap(poolProblem);
  if (unknown.length > 0) throw invalidRequest(unknown, { type: "unknown_gpu_pool" });
  const listed = [...new Set(pools)].flatMap(typesIn);
  const strange = excludedTypes.filter((type) => !includes(listed, type));
  if (strange.length > 0) throw invalidRequest(strange.map((type) => excludedOfNone(type, pools)));
  if (excludedTypes.length === 0 && pools.join(",") === GPU_POOLS.join(",")) return [];
  const types = listed.filter((type) => !includes(excludedTypes, type));
  if (types.length > 0) return types;
  throw invalidRequest([`no GPU type is left: all types of ${pools.join(" and ")} are excluded`]);
}

/** Writes one text: pools with commas between them, then each excluded type after a `-` (live). */
export function writeGpuIds({ pools, excludedTypes }: GpuChoice): string {
  return [...pools, ...excludedTypes.map((type) => `-${type}`)].join(",");
}

/** The inverse of {@link writeGpuIds}. Order and spaces around commas do not matter; {@link typesOf} checks the pools. */
export function readGpuIds(text: string): GpuChoice {
  const parts = text.split(",").flatMap((part) => part.trim() || []);
  const isExcluded = (part: string) => part.startsWith("-");
  return {
    pools: parts.filter((part) => !isExcluded(part)),
    excludedTypes: parts.filter(isExcluded).map((part) => part.slice(1).trim()),
  };
}

/** The pool of a type; the type itself if it is in none. */
export function poolOf(gpuTypeId: string): string {
  const known = GPU_TYPES.find(({ id }) => sameType(id, gpuTypeId));
  return known?.pool ?? known?.id ?? gpuTypeId;
}

export function typesIn(pool: string): readonly string[] {
  const types = GPU_TYPES.filter((type) => type.pool === pool);
  return types.length > 0 ? types.map(({ id }) => id) : [pool];
}

function includes(types: readonly string[], type: string): boolean {
  return types.some((one) => sameType(one, type));
}

function poolProblem(pool: string): readonly string[] {
  if (GPU_POOLS.some((known) => known === pool)) return [];
  const problem = `the GPU pool ${valueInWords(pool)} is unknown`;
  if (!GPU_TYPE.test(pool)) {
    const meant = closestName(pool, GPU_POOLS);
    return [
      `${problem}; ${meant === undefined ? `the pools are ${GPU_POOLS.join(", ")}` : `did you mean ${meant}?`}`,
    ];
  }
  return poolOf(pool) === pool ? [] : [`${problem}; that type is in the pool ${poolOf(pool)}`];
}

function excludedOfNone(type: string, pools: readonly string[]): string {
  return `the excluded GPU type ${valueInWords(type)} is in none of the pools ${pools.join(", ")}`;
}
