/** Asks a running emulator, over its HTTP interface, for everything a config can say. */
import type { Endpoint } from "../../core/endpoint.ts";
import type { NetworkVolume } from "../../core/network-volume.ts";
import type { RegistryAuth } from "../../core/registry-auth.ts";
import type { Template } from "../../core/template.ts";
import type { Environment } from "../settings.ts";
import { UsageError } from "../usage-error.ts";

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
    readonly volumePath?: string;
  }[];
  readonly templates: readonly {
    readonly id: string;
    readonly envSources: Readonly<Record<string, string>>;
  }[];
}

const ALL_TEMPLATES = "includeEndpointBoundTemplates=true&includePublicTemplates=true";

/** @throws UsageError when nobody answers there, or a key is refused */
export async function fetchResources(url: string, env: Environment): Promise<ExportedResources> {
  const apiKey = env["SV_API_KEY"] ?? "";
  const adminKey = env["SV_ADMIN_KEY"] ?? "";
  if (apiKey === "") throw new UsageError("export needs the emulator's API key in SV_API_KEY");
  const list = async <T>(path: string) =>
    (await ask(url, path, apiKey, "SV_API_KEY")) as readonly T[];
  const [originsKey, variable] =
    adminKey === "" ? [apiKey, "SV_API_KEY"] : [adminKey, "SV_ADMIN_KEY"];
  return {
    endpoints: await list<Endpoint>("/v1/endpoints"),
    templates: await list<Template>(`/v1/templates?${ALL_TEMPLATES}`),
    networkVolumes: await list<NetworkVolume>("/v1/networkvolumes"),
    registryAuths: await list<Pick<RegistryAuth, "id" | "name">>("/v1/containerregistryauth"),
    origins: (await ask(url, "/emulator/origins", originsKey, variable)) as ExportedOrigins,
  };
}

async function ask(url: string, path: string, key: string, variable: string): Promise<unknown> {
  const address = new URL(path, url);
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${key}` },
  }).catch((error: unknown) => {
    const remedy = "start the emulator, or say where it is with --url";
    throw new UsageError(`no emulator answers at ${url}; ${remedy}`, { cause: error });
  });
  if (response.ok) return response.json();
  if (response.status === 401 || response.status === 403) {
    const hint =
      path.startsWith("/emulator/") && variable === "SV_API_KEY"
        ? "; it has a key of its own for this: put it into SV_ADMIN_KEY"
        : "";
    throw new UsageError(`the emulator at ${url} refuses the key in ${variable}${hint}`);
  }
  throw new UsageError(
    `${address.href} answered ${response.status}: is that an emulator of this version?`,
  );
}
