/** Asks a running emulator, over its HTTP interface, for everything that a config can contain. */
import type { Answers } from "../../../runtime/protocol/generated/answers.ts";
import type { Endpoint } from "../../core/resources/endpoints/endpoint.ts";
import type { Template } from "../../core/resources/templates/template.ts";
import type { ServiceClient } from "../operate/service-client.ts";

export interface ExportedResources {
  readonly endpoints: readonly Endpoint[];
  readonly templates: readonly Template[];
  readonly networkVolumes: Answers["listNetworkVolumes"];
  readonly registryAuths: Answers["listRegistryAuths"];
  readonly origins: Answers["readOrigins"];
}

const ALL_TEMPLATES = {
  includeEndpointBoundTemplates: "true",
  includePublicTemplates: "true",
};

/** @throws UsageError, UnreachableError, RefusedError */
export async function fetchResources(client: ServiceClient): Promise<ExportedResources> {
  return {
    endpoints: await client.call("listEndpoints", {}),
    templates: await client.call("listTemplates", ALL_TEMPLATES),
    networkVolumes: await client.call("listNetworkVolumes", {}),
    registryAuths: await client.call("listRegistryAuths", {}),
    origins: await client.call("readOrigins", {}),
  };
}
