/** A release: a version of an endpoint, and its changes from the version before (live). Pure. */
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { argsOf } from "../templates/docker-args.ts";
import { ENDPOINT_FIELDS } from "./endpoint-fields.ts";
import type { Endpoint } from "./endpoint.ts";
import { type Field, kindOf } from "../fields.ts";
import { poolsOf, writeGpuIds } from "./gpu-pools.ts";
import type { Template } from "../templates/template.ts";

export interface Release {
  readonly id: string;
  readonly endpointId: string;
  readonly version: number;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Empty for the first version, and for a version that only loads a changed file. */
  readonly diff: readonly FieldDiff[];
}

export interface FieldDiff {
  /** Name in GraphQL; fields of the template begin with `template.` (live). */
  readonly field: string;
  readonly old: Shown;
  readonly new: Shown;
}

type Shown = string | number | boolean | null | readonly string[];

/** An endpoint with its workers' template, if that is known. */
export interface Released {
  readonly endpoint: Endpoint;
  readonly template: Template | undefined;
}

/** @param before the version before; undefined for the first version */
export function releaseOf(before: Released | undefined, after: Released, at: string): Release {
  const { id: endpointId, version } = after.endpoint;
  return {
    id: releaseId(endpointId, version),
    ...{ endpointId, version },
    createdAt: at,
    diff: before === undefined ? [] : diffOf(before, after),
  };
}

export function releaseId(endpointId: string, version: number): string {
  return `${endpointId}-${version}`;
}

type Read = (endpoint: Endpoint) => Shown | undefined;

/** Fields without a single place in GraphQL. */
const IN_OWN_FORM: Readonly<Record<string, readonly [name: string, read: Read]>> = {
  gpuTypeIds: ["gpuIds", ({ gpuTypeIds }) => writeGpuIds(poolsOf(gpuTypeIds))],
  cpuFlavorIds: ["cpuFlavorIds", ({ cpuFlavorIds }) => cpuFlavorIds],
  vcpuCount: ["vcpuCount", ({ vcpuCount }) => vcpuCount],
  networkVolumeIds: ["networkVolumeIds", ({ networkVolumeIds }) => networkVolumeIds],
};

const OF_ENDPOINT = Object.entries<Field>(ENDPOINT_FIELDS).flatMap(
  ([name, { schema, graphql }]): (readonly [string, Read])[] => {
    const own = IN_OWN_FORM[name];
    if (own) return [own];
    if (graphql === false) return [];
    const isList = kindOf(schema) instanceof z.ZodArray;
    const read = (endpoint: Endpoint) => {
      const value: unknown = Reflect.get(endpoint, name);
      if (isList) return Array.isArray(value) ? value.join(",") : "";
      return (graphql?.write ? graphql.write(value) : value) as Shown | undefined;
    };
    return [[graphql?.name ?? name, read]];
  },
);

const OF_TEMPLATE: Readonly<Record<string, (template: Template) => Shown | undefined>> = {
  imageName: ({ imageName }) => imageName,
  dockerArgs: argsOf,
  containerDiskInGb: ({ containerDiskInGb }) => containerDiskInGb,
  containerRegistryAuthId: ({ containerRegistryAuthId }) => containerRegistryAuthId,
  ports: ({ ports }) => ports.join(","),
};

function diffOf(before: Released, after: Released): readonly FieldDiff[] {
  const ofEndpoint = OF_ENDPOINT.map(([field, read]) =>
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

/** Names of the variables that differ. Their values may be secrets and are not kept here (ours). */
function envDiff(old: Template["env"], now: Template["env"]): readonly FieldDiff[] {
  const differing = (env: Template["env"], other: Template["env"]) =>
    Object.keys(env).filter((name) => env[name] !== other[name]);
  const [gone, come] = [differing(old, now), differing(now, old)];
  if (gone.length + come.length === 0) return [];
  return [{ field: "template.env", old: gone, new: come }];
}
