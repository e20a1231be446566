/** Asks a running emulator, over its HTTP interface, for everything a config can say. */
import { z } from "zod";
import type { Endpoint } from "../../core/resources/endpoint.ts";
import type { NetworkVolume } from "../../core/resources/network-volume.ts";
import type { RegistryAuth } from "../../core/resources/registry-auth.ts";
import type { WorkingDirectory } from "../../core/resources/served-endpoint.ts";
import type { Template } from "../../core/resources/template.ts";
import type { ServiceClient } from "../operate/service-client.ts";

export interface ExportedResources {
  readonly endpoints: readonly Endpoint[];
  readonly templates: readonly Template[];
  readonly networkVolumes: readonly NetworkVolume[];
  readonly registryAuths: readonly Pick<RegistryAuth, "id" | "name">[];
  readonly origins: ExportedOrigins;
}

export interface ExportedOrigins {
  readonly endpoints: readonly {
    readonly id: string;
    readonly handlerPath?: string;
    readonly command?: readonly string[];
    readonly cwd?: string;
    readonly workingDirectory?: WorkingDirectory;
    readonly volumePath?: string;
  }[];
  readonly templates: readonly {
    readonly id: string;
    readonly envSources: Readonly<Record<string, string>>;
  }[];
}

const ALL_TEMPLATES = "includeEndpointBoundTemplates=true&includePublicTemplates=true";

/** @throws UsageError, UnreachableError, RefusedError */
export async function fetchResources(client: ServiceClient): Promise<ExportedResources> {
  const list = async <T>(path: string) => client.get(path, z.array(z.custom<T>(isObject)));
  return {
    endpoints: await list<Endpoint>("/v1/endpoints"),
    templates: await list<Template>(`/v1/templates?${ALL_TEMPLATES}`),
    networkVolumes: await list<NetworkVolume>("/v1/networkvolumes"),
    registryAuths: await list<Pick<RegistryAuth, "id" | "name">>("/v1/containerregistryauth"),
    origins: await client.get("/emulator/origins", z.custom<ExportedOrigins>(isObject)),
  };
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
