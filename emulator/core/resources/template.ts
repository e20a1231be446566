/** A template: the container configuration its workers are started from, in the interface's own field names (source: spec). */
import { defined } from "../../../runtime/protocol/without-undefined.ts";

export const TEMPLATE_CATEGORIES = ["NVIDIA", "AMD", "CPU"] as const;

/** What a container is made of, of a template as of an endpoint without one of its own. */
export interface TemplateContainer {
  readonly imageName: string;
  readonly containerDiskInGb: number;
  readonly containerRegistryAuthId?: string | undefined;
  readonly dockerEntrypoint: readonly string[];
  readonly dockerStartCmd: readonly string[];
  /** Both as one text, as it was written (live); what counts are the two: see `argsOf`. */
  readonly dockerArgs?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Each `<port>/http` or `<port>/tcp`. */
  readonly ports: readonly string[];
}

/** What newer interfaces keep of a template, which the first one does not show; absent where nobody said it. */
export interface NewerTemplateFields {
  /** The endpoint that it was made with, and goes with. */
  readonly boundTo?: string | undefined;
  /** Whether a pod of it is to have an SSH server, or Jupyter: kept and shown; default true (live). */
  readonly startSsh?: boolean | undefined;
  readonly startJupyter?: boolean | undefined;
  /** Kept and shown. */
  readonly allowedCudaVersions?: readonly string[] | undefined;
  /** ISO 8601, UTC. */
  readonly createdAt?: string | undefined;
}

export interface Template extends TemplateContainer, NewerTemplateFields {
  /** 10 lower-case letters and digits; for a handler served from a file its endpoint's name. */
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

/** Image names under this prefix stand for handler modules the emulator serves from files, run as processes. */
export const LOCAL_IMAGE_PREFIX = "sv.local/";

/**
 * Whether the template came into being with its endpoint: with one that was made without a template, or of a handler served
 * from a file, under the handler's name.
 */
export function isEndpointBound({ id, imageName, boundTo }: Template): boolean {
  return boundTo !== undefined || imageName === `${LOCAL_IMAGE_PREFIX}${id}`;
}

/** The template as the first version of the interface shows it. */
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

/** What it says of containers alone. */
export function containerOf(template: TemplateContainer): TemplateContainer {
  const { imageName, containerDiskInGb, containerRegistryAuthId, dockerArgs, ...rest } = template;
  const { dockerEntrypoint, dockerStartCmd, env, ports } = rest;
  return {
    ...{ imageName, containerDiskInGb, dockerEntrypoint, dockerStartCmd, env, ports },
    ...defined({ containerRegistryAuthId, dockerArgs }),
  };
}
