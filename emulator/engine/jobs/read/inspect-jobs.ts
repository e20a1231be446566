/** Reads a job of any endpoint with all its fields, for operators. */
import type { Job } from "../../../core/jobs/job.ts";
import type { ShownPayload } from "../../../core/jobs/opened-payload.ts";
import { ServiceError } from "../../../core/service-error.ts";
import type { StoreReads } from "../../../store/store.ts";
import { PayloadDamagedError } from "../../../store/payload.ts";
import type { Uses } from "../../context.ts";
import { showBoth } from "./show-payload.ts";

export interface InspectedJob {
  readonly job: Job;
  /** Raw JSON. To be disposed of if it is opened. */
  readonly input: ShownPayload | undefined;
  /** The same: what the handler returned, or its last progress value while it runs. */
  readonly output: ShownPayload | undefined;
}

/** @throws ServiceError job_not_found */
export async function inspectJob(engine: Uses<"steps">, jobId: string): Promise<InspectedJob> {
  return engine.steps.read(async (view) => {
    const job = await findAnyJob(view, jobId);
    const input = await view.payload(job.seq, "input");
    const output = await view.payload(job.seq, "output");
    // Every job has an input; between two questions it may have been deleted with its job.
    if (input === undefined && (await findAnyJob(view, jobId)))
      throw new PayloadDamagedError(
        { seq: job.seq, slot: "input" },
        "is missing from the database",
      );
    return { job, ...(await showBoth(input, output)) };
  });
}

/** The same without its payloads. @throws ServiceError job_not_found */
export async function inspectJobAlone(engine: Uses<"steps">, jobId: string): Promise<Job> {
  return engine.steps.read((view) => findAnyJob(view, jobId));
}

async function findAnyJob(view: StoreReads, jobId: string): Promise<Job> {
  const job = await view.job(jobId);
  if (job !== undefined) return job;
  throw new ServiceError(
    "job_not_found",
    `there is no job "${jobId}"; it may have been deleted after its time to live or its retention`,
  );
}
