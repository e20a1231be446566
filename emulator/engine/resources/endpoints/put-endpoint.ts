/** Stores endpoints, and a release with each new version. */
import { type Release, releaseId, releaseOf } from "../../../core/resources/endpoints/release.ts";
import type { Endpoint } from "../../../core/resources/endpoints/endpoint.ts";
import type { Template } from "../../../core/resources/templates/template.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { Step } from "../../steps/step.ts";

/** Maximum number of releases per endpoint; older ones are forgotten (ours). */
const RELEASES_MAX = 100;

/**
 * Stores the new endpoint, in the step that has already stored its template.
 * @param at now, ISO 8601
 * @param templateBefore its template before the step; default: the stored one
 */
export function putEndpoint(
  step: Step,
  at: string,
  after: Endpoint,
  templateBefore?: Template,
): void {
  const before = step.record("endpoint", after.id);
  step.putRecord("endpoint", after.id, after);
  if (before?.version === after.version) return;
  const template = step.record("template", after.templateId);
  const old = before && {
    endpoint: before,
    template: templateBefore ?? step.record("template", before.templateId),
  };
  const release = releaseOf(old, { endpoint: after, template }, at);
  step.putRecord("release", release.id, release);
  const tooOld = releaseId(after.id, after.version - RELEASES_MAX);
  if (step.record("release", tooOld) !== undefined) step.deleteRecord("release", tooOld);
}

/** Call it in the step that deletes the endpoint. */
export function deleteReleases(step: Step, endpointId: string): void {
  for (const release of step.records("release"))
    if (release.endpointId === endpointId) step.deleteRecord("release", release.id);
}

/** The stored releases of an endpoint. */
export function listReleases({ steps }: StepPort, endpointId: string): readonly Release[] {
  return steps.records.all("release").filter((release) => release.endpointId === endpointId);
}
