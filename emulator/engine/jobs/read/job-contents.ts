/** Reads a job with all its payloads. */
import { chunksOf } from "../../../../runtime/protocol/chunk-batch.ts";
import type { Job } from "../../../core/jobs/job.ts";
import type { JobStatus } from "../../../../runtime/protocol/job-status.ts";
import type { StoreReads } from "../../../store/store.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { CatalogPort } from "../../resources/catalog-port.ts";
import { readJob } from "./job-view.ts";
import type { JobRef } from "../../steps/job-watchers.ts";
import { storedOutput } from "./show-payload.ts";

/** Payloads are raw JSON. */
export interface JobContents {
  readonly job: Job;
  readonly input: Uint8Array;
  readonly output: Uint8Array | undefined;
  /** Chunks of the current attempt, in order. */
  readonly chunks: readonly Uint8Array[];
}

const ALL = { from: 0, maxCount: Infinity, maxBytes: Infinity };

/** @throws ServiceError job_not_found, also for a job of another endpoint */
export function readContents(engine: StepPort, ref: JobRef): Promise<JobContents> {
  return engine.steps.read(async (view) => contentsOf(view, await readJob(view, ref)));
}

/** The endpoint's jobs, the newest first, all or those in one status. @throws ServiceError endpoint_not_found */
export async function listContents(
  engine: StepPort & CatalogPort,
  endpointId: string,
  status: JobStatus | undefined,
): Promise<readonly JobContents[]> {
  engine.directory.queue(endpointId);
  return engine.steps.read(async (view) => {
    const jobs = await view.listJobs(endpointId, { limit: Number.MAX_SAFE_INTEGER, status });
    return Promise.all(jobs.map((job) => contentsOf(view, job)));
  });
}

async function contentsOf(view: StoreReads, job: Job): Promise<JobContents> {
  const input = await view.payload(job.seq, "input");
  const output = await storedOutput(view, job);
  const batches = job.chunkCount === 0 ? [] : await view.chunks(job.seq, ALL);
  return {
    job,
    input: (await input?.bytes()) ?? NOTHING,
    output: await output?.bytes(),
    chunks: batches.flatMap(chunksOf),
  };
}

/** Every job has an input; the job may have been deleted between two questions. */
const NOTHING = new TextEncoder().encode("null");
