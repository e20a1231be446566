/** Lists the files that endpoints came from, and the variables that their secrets came from. */
import type { ServedOrigin } from "../../core/resources/endpoints/served-endpoint.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { CatalogPort } from "./catalog-port.ts";

export interface Origins {
  readonly endpoints: readonly (Omit<ServedOrigin, "envSources"> & { readonly id: string })[];
  readonly templates: readonly {
    readonly id: string;
    readonly envSources: NonNullable<ServedOrigin["envSources"]>;
  }[];
}

/** Origins of existing resources, by id. */
export function listOrigins({ steps, directory }: StepPort & CatalogPort): Origins {
  const served = steps.records.inOrder("served");
  const templates = steps.records.inOrder("servedTemplate");
  const present = served.filter(({ endpoint }) => directory.findEndpoint(endpoint.id));
  return {
    endpoints: present.map(
      ({ endpoint: { id }, handlerPath, command, cwd, workingDirectory, volumePath }) => ({
        id,
        ...(handlerPath !== undefined && { handlerPath }),
        ...(command !== undefined && { command }),
        ...(cwd !== undefined && { cwd }),
        ...(workingDirectory !== undefined && { workingDirectory }),
        ...(volumePath !== undefined && { volumePath }),
      }),
    ),
    templates: [...present, ...templates].flatMap(({ template, envSources }) =>
      template !== undefined && envSources !== undefined && directory.findTemplate(template.id)
        ? [{ id: template.id, envSources }]
        : [],
    ),
  };
}
