/** Creates, lists and reads endpoints, and deletes them together with their jobs. */
import { isTerminal } from "../../../runtime/protocol/job-status.ts";
import type { EndpointInput } from "../../core/resources/endpoint-input.ts";
import type { Endpoint } from "../../core/resources/endpoint.ts";
import { invalidRequest } from "../../core/service-error.ts";
import type { Template } from "../../core/resources/template.ts";
import type { StoreTransaction } from "../../store/store.ts";
import type { Effects } from "../effects.ts";
import { apply } from "../jobs/apply.ts";
import type { Uses } from "../context.ts";
import { checkVolumes } from "./endpoint-volumes.ts";
import { warnOfUnknownGpus } from "../workers/gpus/warn-of-unknown-gpus.ts";

const ID_LENGTH = 14;

/** Jobs deleted in one transaction, so that a long queue does not hold up everybody else. */
const BATCH = 200;

/** @throws ServiceError invalid_request for a template that is missing or a Pod's, or a missing volume; storage_full */
export async function createEndpoint(
  engine: Uses<"clock" | "directory" | "endpointChanged" | "events" | "log" | "random" | "steps">,
  input: EndpointInput,
): Promise<Endpoint> {
  const id = engine.random.shortId(ID_LENGTH);
  const createdAt = new Date(engine.clock.now()).toISOString();
  const endpoint = await engine.steps.commit(async (tx) => {
    const template = serverless(await tx.record("template", input.templateId), input.templateId);
    await checkVolumes(tx, input);
    const made: Endpoint = {
      id,
      ...input,
      name: input.name ?? template.name,
      version: 1,
      createdAt,
    };
    await tx.putRecord("endpoint", id, made);
    return made;
  });
  warnOfUnknownGpus(engine, endpoint.gpuTypeIds, { endpointId: id });
  engine.directory.keepEndpoint(endpoint);
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
 * @throws ServiceError endpoint_not_found; storage_full, and then the endpoint is there again, its jobs perhaps not
 */
export async function deleteEndpoint(
  engine: Uses<"clock" | "directory" | "endpointChanged" | "endpointDeleted" | "steps" | "store">,
  id: string,
): Promise<void> {
  const endpoint = engine.directory.endpoint(id);
  engine.directory.dropEndpoint(id);
  try {
    while (await engine.steps.commit((tx, effects) => deleteJobs(engine, tx, effects, id)));
    await engine.steps.commit(async (tx) => {
      await tx.deleteRecord("endpoint", id);
      await tx.deleteRecord("served", id);
    });
  } catch (error) {
    // An update that was on its way may have changed it since.
    const stored = await engine.store
      .read((view) => view.record("endpoint", id))
      .catch(() => undefined);
    engine.directory.keepEndpoint(stored ?? endpoint);
    throw error;
  }
  engine.endpointChanged(id);
  engine.endpointDeleted(id);
}

/** Deletes a batch of the endpoint's jobs, telling who waits for one that it is CANCELLED; true if there may be more. */
async function deleteJobs(
  engine: Uses<"clock">,
  tx: StoreTransaction,
  effects: Effects,
  endpointId: string,
): Promise<boolean> {
  const now = engine.clock.now();
  const jobs = await tx.jobsOf(endpointId, BATCH);
  for (const job of jobs) {
    let last = job;
    if (!isTerminal(job.status)) {
      const cancelled = await apply(tx, effects, job, { type: "cancel" }, now);
      if (cancelled.result === "changed") last = cancelled.job;
    }
    await apply(tx, effects, last, { type: "expire" }, now);
  }
  return jobs.length === BATCH;
}

/** The template if workers can be made of it. @throws ServiceError invalid_request */
export function serverless(template: Template | undefined, id: string): Template {
  if (!template) throw invalidRequest([`templateId names no template: ${JSON.stringify(id)}`]);
  if (template.isServerless) return template;
  const problem = `templateId names the Pod template "${template.name}"; an endpoint needs one that was created with isServerless true`;
  throw invalidRequest([problem], { type: "pod_template" });
}
