/** Which templates a list shows beside the user's own (live). */
import { parseFlag, type QueryParameters } from "../../../core/input/query-parameters.ts";
import { isEndpointBound, type Template } from "../../../core/resources/template.ts";

export interface TemplateIncludes {
  readonly endpointBound: boolean;
  readonly public: boolean;
  readonly platform: boolean;
}

/** Each is false by default; official templates have a second name (live). @throws ServiceError `invalid_request` */
export function readTemplateIncludes(query: QueryParameters): TemplateIncludes {
  const official = ["includePlatformTemplates", "includeRunpodTemplates"] as const;
  const [platform, alias] = official.map((name) => parseFlag(query, name));
  return {
    endpointBound: parseFlag(query, "includeEndpointBoundTemplates"),
    public: parseFlag(query, "includePublicTemplates"),
    platform: platform === true || alias === true,
  };
}

export function showsTemplate(template: Template, includes: TemplateIncludes): boolean {
  if (template.isPlatform && !includes.platform) return false;
  if (template.isPublic && !includes.public) return false;
  return includes.endpointBound || !isEndpointBound(template);
}
