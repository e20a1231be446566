/** An endpoint as the management interface shows it (spec): the record, and what it takes from its template. */
import type { Endpoint } from "../../core/endpoint.ts";
import type { QueryParameters } from "../../core/query-parameters.ts";
import type { EngineContext } from "../../engine/context.ts";

/** With `includeTemplate=true` the template stands in it as a whole. */
export function endpointBody(
  engine: EngineContext,
  endpoint: Endpoint,
  query: QueryParameters = {},
): Readonly<Record<string, unknown>> {
  const template = engine.directory.findTemplate(endpoint.templateId);
  return {
    ...endpoint,
    allowedCudaVersions: endpoint.allowedCudaVersions ?? [],
    dataCenterIds: endpoint.dataCenterIds ?? [],
    networkVolumeIds: [],
    env: template?.env ?? {},
    ...(query["includeTemplate"] === "true" ? { template } : {}),
  };
}
