/** Checks that a template is for workers. */
import { invalidRequest } from "../../../core/service-error.ts";
import type { Template } from "../../../core/resources/templates/template.ts";

/** The template, if it is for workers. @throws ServiceError invalid_request */
export function serverless(template: Template | undefined, id: string): Template {
  if (!template) throw invalidRequest([`templateId names no template: ${JSON.stringify(id)}`]);
  if (template.isServerless) return template;
  const problem = `templateId names the Pod template "${template.name}"; an endpoint needs one that was created with isServerless true`;
  throw invalidRequest([problem], { type: "pod_template" });
}
