/** Stores endpoints, and with each new version what made it one: a release. */
import { type Release, releaseOf } from "../../core/resources/release.ts";
import type { Endpoint } from "../../core/resources/endpoint.ts";
import type { Template } from "../../core/resources/template.ts";
import type { Uses } from "../context.ts";
import type { Step } from "../step.ts";

/** Older releases of an endpoint are forgotten (ours). */
const RELEASES_MAX = 100;

/**
 * Stores the endpoint as it becomes, in the step that has put its template already.
 *
 * @param at now, ISO 8601 @param templateBefore its template before the step; by default what is stored of that one now
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
  for (const { id } of releasesIn(step, after.id).slice(RELEASES_MAX))
    step.deleteRecord("release", id);
}

/** To be called in the step that deletes the endpoint. */
export function deleteReleases(step: Step, endpointId: string): void {
  for (const { id } of releasesIn(step, endpointId)) step.deleteRecord("release", id);
}

/** Those of an endpoint that are kept, the newest first. */
export function listReleases(
  { steps }: Uses<"steps">,
  endpointId: string,
): readonly Release[] {
  return newestFirst(steps.records.all("release"), endpointId);
}

function releasesIn(step: Step, endpointId: string): readonly Release[] {
  return newestFirst(step.records("release"), endpointId);
}

function newestFirst(releases: readonly Release[], endpointId: string): readonly Release[] {
  return releases
    .filter((release) => release.endpointId === endpointId)
    .toSorted((a, b) => b.version - a.version);
}

/** Service time as releases and templates have it. */
export function isoNow({ clock }: Uses<"clock">): string {
  return new Date(clock.now()).toISOString();
}
