/** Endpoints as files declare them: each with its template, and the resources that endpoints share. */
import type { Endpoint } from "./endpoint.ts";
import type { NetworkVolume } from "./network-volume.ts";
import type { RegistryAuth, RegistryCredentials } from "./registry-auth.ts";
import type { Template } from "./template.ts";

/** Where the workers of a command run: each in a directory of its own, or all in the one that the command is served from. */
export const WORKING_DIRECTORIES = ["own", "shared"] as const;

export type WorkingDirectory = (typeof WORKING_DIRECTORIES)[number];

export interface ServedEndpoint extends ServedOrigin {
  /** Its own; undefined for an endpoint of a template that stands by itself. */
  readonly template?: Template | undefined;
  readonly endpoint: Endpoint;
}

export interface ServedTemplate extends Pick<ServedOrigin, "envSources"> {
  readonly template: Template;
}

/** What the management interface does not show of a thing that a file is behind. */
export interface ServedOrigin {
  /** Path of the handler module, absolute. */
  readonly handlerPath?: string | undefined;
  /** The program that its workers are, with its arguments. */
  readonly command?: readonly string[] | undefined;
  /** Path of the directory that the command is served from, absolute. */
  readonly cwd?: string | undefined;
  /** Whether the workers of the command run there themselves; undefined for each in a directory of its own. */
  readonly workingDirectory?: WorkingDirectory | undefined;
  /** Path of the directory that is the endpoint's volume, absolute. */
  readonly volumePath?: string | undefined;
  /** Of environment variables with secret values, by name: the variable each value was taken from. */
  readonly envSources?: Readonly<Record<string, string>> | undefined;
}

/** What endpoints share. */
export interface ServedResources {
  readonly networkVolumes: readonly NetworkVolume[];
  readonly registryAuths: readonly ServedRegistryAuth[];
  readonly templates: readonly ServedTemplate[];
}

export type ServedRegistryAuth = Pick<RegistryAuth, "id" | "name"> & RegistryCredentials;

/** A file asks for a name that something else has which was made over the interface; the message says which. */
export class NameTakenError extends Error {
  override readonly name = "NameTakenError";
}
