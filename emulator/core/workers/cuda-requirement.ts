/** CUDA requirements of an endpoint, and whether a driver meets them. Pure. */
import type { PlacementPreferences } from "../resources/endpoints/endpoint.ts";

export const CUDA_VERSION = /^\d{1,2}\.\d{1,2}$/;

export type CudaRequirement = Pick<PlacementPreferences, "allowedCudaVersions" | "minCudaVersion">;

/**
 * Whether a driver for CUDA up to `version` is sufficient (live): the version is in `allowedCudaVersions`, if there are any,
 * and at least `minCudaVersion`. An unknown version is always sufficient.
 */
export function meetsCudaRequirement(
  version: string | undefined,
  requirement: CudaRequirement,
): boolean {
  if (version === undefined) return true;
  const { allowedCudaVersions: allowed = [], minCudaVersion: min = "0.0" } = requirement;
  const isAllowed = allowed.length === 0 || allowed.some((one) => compare(one, version) === 0);
  return isAllowed && compare(version, min) >= 0;
}

/** For example ` with CUDA 12.8 or 12.9` or ` with CUDA 12.4 or newer`; empty without a requirement. */
export function cudaRequirementInWords({
  allowedCudaVersions = [],
  minCudaVersion,
}: CudaRequirement): string {
  const words = [
    ...(allowedCudaVersions.length > 0 ? [allowedCudaVersions.join(" or ")] : []),
    ...(minCudaVersion !== undefined ? [`${minCudaVersion} or newer`] : []),
  ];
  return words.length > 0 ? ` with CUDA ${words.join(", ")}` : "";
}

function compare(a: string, b: string): number {
  const [aMajor = 0, aMinor = 0] = a.split(".").map(Number);
  const [bMajor = 0, bMinor = 0] = b.split(".").map(Number);
  return aMajor - bMajor || aMinor - bMinor;
}
