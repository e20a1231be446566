/** Creates, lists and reads endpoints, and deletes them together with their jobs. */
import { isTerminal } from "../../../runtime/protocol/job-status.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { EndpointInput } from "../../core/resources/endpoint-input.ts";
import type { Endpoint } from "../../core/resources/endpoint.ts";
import { invalidRequest } from "../../core/service-error.ts";
import type { Template } from "../../core/resources/template.ts";
import type { Step } from "../step.ts";
import { apply } from "../jobs/apply.ts";
import type { Uses } from "../context.ts";
import { checkVolumes } from "./endpoint-volumes.ts";
import { warnOfUnknownGpus } from "../workers/gpus/warn-of-unknown-gpus.ts";

const ID_LENGTH = 14;

/** Jobs deleted in one step, so that a long queue does not hold up everybody else. */
const BATCH = 200;

/** @throws ServiceError invalid_request for a template that is missing or a Pod's, or a missing volume; storage_full */
export async function createEndpoint(
  engine: Uses<"clock" | "endpointChanged" | "events" | "log" | "random" | "steps">,
  input: EndpointInput,
): Promise<Endpoint> {
  const id = engine.random.shortId(ID_LENGTH);
  const createdAt = new Date(engine.clock.now()).toISOString();
  const endpoint = await engine.steps.commit((step) => {
    const template = serverless(step.record("template", input.templateId), input.templateId);
    checkVolumes(step, input);
    const made: Endpoint = {
      id,
      ...input,
      name: input.name ?? template.name,
      version: 1,
      createdAt,
    };
    step.putRecord("endpoint", id, made);
    return made;
  });
  warnOfUnknownGpus(engine, endpoint.gpuTypeIds, { endpointId: id });
  engine.events.publish({ type: "endpoint", endpointId: id, change: "created" });
  engine.endpointChanged(id);
  return endpoint;
}

/** Oldest first. */
export function listEndpoints(engine: Uses<"directory">): readonly Endpoint[] {
  return engine.directory
    .endpoints()
    .toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
}

/**
 * Cancels and deletes the endpoint's jobs, then the endpoint; its workers leave. Resolves when nothing of it is stored
 * any more. From the call on the endpoint takes no jobs.
 *
 * @throws ServiceError endpoint_not_found; storage_full, endpoint_moved, and then the endpoint is there again, its jobs perhaps not
 */
export async function deleteEndpoint(
  engine: Uses<"clock" | "directory" | "endpointChanged" | "endpointDeleted" | "steps">,
  id: string,
): Promise<void> {
  engine.directory.endpoint(id);
  using _ = engine.directory.leaving(id);
  await deleteJobs(engine, id);
  await engine.steps.commit((step) => {
    step.refuseMoved(id);
    step.deleteRecord("endpoint", id);
    step.deleteRecord("served", id);
    step.removeReports(id);
  });
  engine.endpointChanged(id);
  engine.endpointDeleted(id);
}

/** Deletes the endpoint's jobs, telling who waits for one that it is CANCELLED. */
async function deleteJobs(engine: Uses<"clock" | "steps">, endpointId: string): Promise<void> {
  for (let lastSeq: number | undefined = 0; lastSeq !== undefined;) {
    const after: number = lastSeq;
    lastSeq = await engine.steps.commitOn<number | undefined>(
      (reads) => reads.jobsOf(endpointId, after, BATCH),
      (step, jobs, rows) => {
        step.refuseMoved(endpointId);
        for (const job of jobs) deleteJob(step, job, engine.clock.now());
        return rows.length < BATCH ? undefined : rows.at(-1)?.seq;
      },
    );
  }
}

function deleteJob(step: Step, job: Job, now: number): void {
  let last = job;
  if (!isTerminal(job.status)) {
    const cancelled = apply(step, job, { type: "cancel" }, now);
    if (cancelled.result === "changed") last = cancelled.job;
  }
  apply(step, last, { type: "expire" }, now);
}

/** The template if workers can be made of it. @throws ServiceError invalid_request */
export function serverless(template: Template | undefined, id: string): Template {
  if (!template) throw invalidRequest([`templateId names no template: ${JSON.stringify(id)}`]);
  if (template.isServerless) return template;
  const problem = `templateId names the Pod template "${template.name}"; an endpoint needs one that was created with isServerless true`;
  throw invalidRequest([problem], { type: "pod_template" });
}
