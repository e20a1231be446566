/** Endpoints declared in files, each with its template, and the resources that they share. */
import type { Endpoint } from "./endpoint.ts";
import type { NetworkVolume } from "../network-volumes/network-volume.ts";
import type { RegistryAuth, RegistryCredentials } from "../registry-auths/registry-auth.ts";
import type { Template } from "../templates/template.ts";

/** Working directories of a command's workers: one each, or the directory that the command is served from. */
export const WORKING_DIRECTORIES = ["own", "shared"] as const;

export type WorkingDirectory = (typeof WORKING_DIRECTORIES)[number];

export interface ServedEndpoint extends ServedOrigin {
  /** The endpoint's own template; undefined if it uses a separate one. */
  readonly template?: Template | undefined;
  readonly endpoint: Endpoint;
}

export interface ServedTemplate extends Pick<ServedOrigin, "envSources"> {
  readonly template: Template;
}

/** Data that a file adds to a resource. The management interface does not show it. */
export interface ServedOrigin {
  /** Absolute path of the handler module. */
  readonly handlerPath?: string | undefined;
  /** Command line of a worker. */
  readonly command?: readonly string[] | undefined;
  /** Absolute path of the directory that the command is served from. */
  readonly cwd?: string | undefined;
  /** True: workers of the command run in that directory. Undefined: each worker has a directory of its own. */
  readonly workingDirectory?: WorkingDirectory | undefined;
  /** Absolute path of the directory that is the endpoint's volume. */
  readonly volumePath?: string | undefined;
  /** Environment variables with secret values: for each, the variable that its value came from. */
  readonly envSources?: Readonly<Record<string, string>> | undefined;
}

/** Resources that endpoints share. */
export interface ServedResources {
  readonly networkVolumes: readonly NetworkVolume[];
  readonly registryAuths: readonly ServedRegistryAuth[];
  readonly templates: readonly ServedTemplate[];
}

export type ServedRegistryAuth = Pick<RegistryAuth, "id" | "name"> & RegistryCredentials;

/** A name in a file is taken by a resource created over the interface; the message names both. */
export class NameTakenError extends Error {
  override readonly name = "NameTakenError";
}
