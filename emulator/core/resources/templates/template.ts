/** A template: the container configuration that workers start from, in the field names of the interface (source: spec). */
import { defined } from "../../../../runtime/protocol/without-undefined.ts";

export const TEMPLATE_CATEGORIES = ["NVIDIA", "AMD", "CPU"] as const;

/** Container settings of a template, or of an endpoint without a template. */
export interface TemplateContainer {
  readonly imageName: string;
  readonly containerDiskInGb: number;
  readonly containerRegistryAuthId?: string | undefined;
  readonly dockerEntrypoint: readonly string[];
  readonly dockerStartCmd: readonly string[];
  /** Entry point and command as one text, as written (live); the two lists count: see `argsOf`. */
  readonly dockerArgs?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Each `<port>/http` or `<port>/tcp`. */
  readonly ports: readonly string[];
}

/** Fields of newer interfaces, which the first version does not show; absent if never set. */
export interface NewerTemplateFields {
  /** The endpoint that it was created with; both are deleted together. */
  readonly boundTo?: string | undefined;
  /** Whether pods start an SSH server or Jupyter: kept and shown; default true (live). */
  readonly startSsh?: boolean | undefined;
  readonly startJupyter?: boolean | undefined;
  /** Kept and shown. */
  readonly allowedCudaVersions?: readonly string[] | undefined;
  /** ISO 8601, UTC. */
  readonly createdAt?: string | undefined;
}

export interface Template extends TemplateContainer, NewerTemplateFields {
  /** 10 lower-case letters and digits; the endpoint's name for a handler served from a file. */
  readonly id: string;
  /** Unique. */
  readonly name: string;
  readonly category: (typeof TEMPLATE_CATEGORIES)[number];
  readonly isPublic: boolean;
  readonly isPlatform: boolean;
  readonly isServerless: boolean;
  readonly readme: string;
  readonly volumeInGb: number;
  readonly volumeMountPath: string;
  readonly earned: number;
  readonly runtimeInMin: number;
}

/** Prefix of image names that stand for handler modules served from files. They run as processes. */
export const LOCAL_IMAGE_PREFIX = "sv.local/";

/**
 * Whether the template belongs to one endpoint: the endpoint was created without a template, or its handler is served from a
 * file and has the template's name.
 */
export function isEndpointBound({ id, imageName, boundTo }: Template): boolean {
  return boundTo !== undefined || imageName === `${LOCAL_IMAGE_PREFIX}${id}`;
}

/** The template in the first version of the interface. */
export function withoutNewerFields(template: Template): Template {
  const {
    boundTo: _,
    dockerArgs: __,
    startSsh: ___,
    startJupyter: ____,
    allowedCudaVersions: _____,
    createdAt: ______,
    ...plain
  } = template;
  return plain;
}

/** The container settings alone. */
export function containerOf(template: TemplateContainer): TemplateContainer {
  const { imageName, containerDiskInGb, containerRegistryAuthId, dockerArgs, ...rest } = template;
  const { dockerEntrypoint, dockerStartCmd, env, ports } = rest;
  return {
    ...{ imageName, containerDiskInGb, dockerEntrypoint, dockerStartCmd, env, ports },
    ...defined({ containerRegistryAuthId, dockerArgs }),
  };
}
