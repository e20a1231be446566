/** Stores endpoints, and a release with each new version. */
import { type Release, releaseId, releaseOf } from "../../../core/resources/endpoints/release.ts";
import { rolled } from "../../../core/resources/endpoints/endpoint-change.ts";
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

/**
 * Stores new versions of the template's endpoints, and returns them.
 * @param at now, ISO 8601
 * @param before the template before the change
 */
export function rollEndpoints(step: Step, at: string, before: Template): readonly Endpoint[] {
  const endpoints = step.records("endpoint");
  const users = endpoints.filter(({ templateId }) => templateId === before.id).map(rolled);
  for (const endpoint of users) putEndpoint(step, at, endpoint, before);
  return users;
}

/** Call it in the step that deletes the endpoint. */
export function deleteReleases(step: Step, endpointId: string): void {
  for (const release of step.records("release"))
    if (release.endpointId === endpointId) step.deleteRecord("release", release.id);
}

export function listReleases({ steps }: StepPort, endpointId: string): readonly Release[] {
  return steps.records.all("release").filter((release) => release.endpointId === endpointId);
}
