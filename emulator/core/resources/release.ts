/** A release: a version of an endpoint, and what made it another one than the version before (live). Pure. */
import { isDeepStrictEqual } from "node:util";
import { argsOf } from "./docker-args.ts";
import type { Endpoint } from "./endpoint.ts";
import { poolsOf, writeGpuIds } from "./gpu-pools.ts";
import type { Template } from "./template.ts";

export interface Release {
  readonly id: string;
  readonly endpointId: string;
  readonly version: number;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Nothing for the first one, and where the workers load a changed file. */
  readonly diff: readonly FieldDiff[];
}

export interface FieldDiff {
  /** As GraphQL has it, those of the template behind `template.` (live). */
  readonly field: string;
  readonly old: Shown;
  readonly new: Shown;
}

type Shown = string | number | boolean | null | readonly string[];

/** An endpoint with the template of its workers, if that is known. */
export interface Released {
  readonly endpoint: Endpoint;
  readonly template: Template | undefined;
}

/** @param before the version before; undefined for the first one */
export function releaseOf(before: Released | undefined, after: Released, at: string): Release {
  const { id: endpointId, version } = after.endpoint;
  return {
    id: releaseId(endpointId, version),
    ...{ endpointId, version },
    createdAt: at,
    diff: before === undefined ? [] : diffOf(before, after),
  };
}

/** Of the release that made that version. */
export function releaseId(endpointId: string, version: number): string {
  return `${endpointId}-${version}`;
}

const OF_ENDPOINT: Readonly<Record<string, (endpoint: Endpoint) => Shown | undefined>> = {
  name: ({ name }) => name,
  templateId: ({ templateId }) => templateId,
  gpuIds: ({ gpuTypeIds }) => writeGpuIds(poolsOf(gpuTypeIds)),
  gpuCount: ({ gpuCount }) => gpuCount,
  cpuFlavorIds: ({ cpuFlavorIds }) => cpuFlavorIds,
  vcpuCount: ({ vcpuCount }) => vcpuCount,
  allowedCudaVersions: ({ allowedCudaVersions = [] }) => allowedCudaVersions.join(","),
  minCudaVersion: ({ minCudaVersion }) => minCudaVersion,
  locations: ({ dataCenterIds = [] }) => dataCenterIds.join(","),
  networkVolumeId: ({ networkVolumeId }) => networkVolumeId,
  networkVolumeIds: ({ networkVolumeIds }) => networkVolumeIds,
  flashBootType: ({ flashboot }) => (flashboot === true ? "FLASHBOOT" : "OFF"),
  idleTimeout: ({ idleTimeout }) => idleTimeout,
  scalerType: ({ scalerType }) => scalerType,
  scalerValue: ({ scalerValue }) => scalerValue,
  workersMin: ({ workersMin }) => workersMin,
  workersMax: ({ workersMax }) => workersMax,
  executionTimeoutMs: ({ executionTimeoutMs }) => executionTimeoutMs,
};

const OF_TEMPLATE: Readonly<Record<string, (template: Template) => Shown | undefined>> = {
  imageName: ({ imageName }) => imageName,
  dockerArgs: argsOf,
  containerDiskInGb: ({ containerDiskInGb }) => containerDiskInGb,
  containerRegistryAuthId: ({ containerRegistryAuthId }) => containerRegistryAuthId,
  ports: ({ ports }) => ports.join(","),
};

function diffOf(before: Released, after: Released): readonly FieldDiff[] {
  const ofEndpoint = Object.entries(OF_ENDPOINT).map(([field, read]) =>
    diff(field, read(before.endpoint), read(after.endpoint)),
  );
  const [old, now] = [before.template, after.template];
  const ofTemplate = Object.entries(OF_TEMPLATE).map(([field, read]) =>
    diff(`template.${field}`, old && read(old), now && read(now)),
  );
  const ofEnv = old && now ? envDiff(old.env, now.env) : [];
  return [...ofEndpoint, ...ofTemplate].flatMap((each) => each ?? []).concat(ofEnv);
}

function diff(field: string, old: Shown = null, now: Shown = null): FieldDiff | undefined {
  return isDeepStrictEqual(old, now) ? undefined : { field, old, new: now };
}

/** The names of the variables that differ; their values may be secrets, which are kept nowhere else (ours). */
function envDiff(old: Template["env"], now: Template["env"]): readonly FieldDiff[] {
  const differing = (env: Template["env"], other: Template["env"]) =>
    Object.keys(env).filter((name) => env[name] !== other[name]);
  const [gone, come] = [differing(old, now), differing(now, old)];
  if (gone.length + come.length === 0) return [];
  return [{ field: "template.env", old: gone, new: come }];
}
