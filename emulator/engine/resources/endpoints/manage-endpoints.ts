/** Creates, lists and reads endpoints, and deletes them together with their jobs. */
import { iso } from "../../../core/time/iso.ts";
import { isTerminal } from "../../../../runtime/protocol/job-status.ts";
import type { Job } from "../../../core/jobs/job.ts";
import type { EndpointInput } from "../../../core/resources/endpoints/endpoint-input.ts";
import type { Endpoint } from "../../../core/resources/endpoints/endpoint.ts";
import type { Step } from "../../steps/step.ts";
import { apply } from "../../steps/apply.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { TimePort } from "../../time/time-port.ts";
import type { TellPort } from "../../observe/tell-port.ts";
import type { CatalogPort } from "../catalog-port.ts";
import type { WakePort } from "../../steps/wake-port.ts";
import {
  deleteBoundTemplates,
  type InlineContainer,
  makeBoundTemplate,
  type Making,
} from "../templates/bound-template.ts";
import { checkVolumes } from "./endpoint-volumes.ts";
import { deleteReleases, putEndpoint } from "./put-endpoint.ts";
import { serverless } from "../templates/serverless-template.ts";
import { warnOfUnknownGpus } from "../../workers/gpus/warn-of-unknown-gpus.ts";

const ID_LENGTH = 14;
const TEMPLATE_ID_LENGTH = 10;

/** A new endpoint with a container for its workers instead of a template. */
export interface InlineEndpointInput
  extends Omit<EndpointInput, "name" | "templateId">, InlineContainer {
  readonly name: string;
}

/** Maximum number of jobs deleted per step, so that a long queue does not delay others. */
const BATCH = 200;

/** @throws ServiceError invalid_request for a missing template, a template of pods, or a missing volume; storage_full */
export async function createEndpoint(
  engine: StepPort & TimePort & TellPort & WakePort,
  input: EndpointInput | InlineEndpointInput,
): Promise<Endpoint> {
  const id = engine.random.shortId(ID_LENGTH);
  const newTemplateId = engine.random.shortId(TEMPLATE_ID_LENGTH);
  const createdAt = iso(engine.clock.now());
  const endpoint = await engine.steps.commit((step) => {
    const { template, settings } = templateFor(step, input, (named) => ({
      endpoint: { id, ...named },
      templateId: newTemplateId,
      at: createdAt,
    }));
    checkVolumes(step, settings);
    const made: Endpoint = {
      id,
      ...settings,
      name: settings.name ?? template.name,
      templateId: template.id,
      version: 1,
      createdAt,
    };
    putEndpoint(step, createdAt, made);
    return made;
  });
  warnOfUnknownGpus(engine, endpoint.gpuTypeIds, { endpointId: id });
  engine.tell({ type: "endpoint", endpointId: id, change: "created" });
  engine.endpointChanged(id);
  return endpoint;
}

/** The template of a new endpoint, created with it if it has none, and the other settings of the input. */
function templateFor(
  step: Step,
  input: EndpointInput | InlineEndpointInput,
  makingOf: (named: Pick<InlineEndpointInput, "name" | "computeType">) => Making,
) {
  if (!("container" in input)) {
    const template = serverless(step.record("template", input.templateId), input.templateId);
    return { template, settings: input };
  }
  const { container, copyOf, ...settings } = input;
  return { template: makeBoundTemplate(step, { container, copyOf }, makingOf(settings)), settings };
}

/** Oldest first. */
export function listEndpoints(engine: CatalogPort): readonly Endpoint[] {
  return engine.directory
    .endpoints()
    .toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
}

/**
 * Cancels and deletes the endpoint's jobs, then the endpoint with its own template; its workers leave. Resolves when everything
 * is deleted from the store. From the call on the endpoint takes no jobs.
 * @throws ServiceError endpoint_not_found; storage_full, endpoint_moved: the endpoint then exists again, perhaps without its jobs
 */
export async function deleteEndpoint(
  engine: StepPort & TimePort & CatalogPort & WakePort,
  id: string,
): Promise<void> {
  engine.directory.endpoint(id);
  using _ = engine.directory.leaving(id);
  await deleteJobs(engine, id);
  await engine.steps.commit((step) => {
    step.refuseMoved(id);
    step.deleteRecord("endpoint", id);
    step.deleteRecord("served", id);
    deleteReleases(step, id);
    deleteBoundTemplates(step, id);
    step.removeReports(id);
  });
  engine.endpointChanged(id);
  engine.endpointDeleted(id);
}

/** Deletes the endpoint's jobs; requests that wait for one see it CANCELLED. */
async function deleteJobs(engine: StepPort & TimePort, endpointId: string): Promise<void> {
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
