/** All matches of a store for a filter, page after page. */
import assert from "node:assert/strict";
import type { JobFilter, JobWindow } from "../../../emulator/core/jobs/job-filter.ts";
import type { Job } from "../../../emulator/core/jobs/job.ts";
import type { StoreReads } from "../../../emulator/store/store.ts";

export interface Match {
  readonly jobs: readonly Job[];
  readonly count: number;
  /** Number of pages. */
  readonly questions: number;
}

export async function everyMatch(
  store: StoreReads,
  filter: JobFilter,
  bounds: Pick<JobWindow, "limit" | "maxLooked">,
): Promise<Match> {
  const jobs: Job[] = [];
  const questions = await toTheEnd(async (beforeSeq) => {
    const found = await store.findJobs({ filter, ...bounds, beforeSeq });
    assert(found.jobs.length <= Math.min(bounds.limit, bounds.maxLooked));
    jobs.push(...found.jobs);
    return found.nextSeq;
  });
  let count = 0;
  await toTheEnd(async (beforeSeq) => {
    const counted = await store.countJobs({ filter, ...bounds, beforeSeq });
    count += counted.count;
    return counted.nextSeq;
  });
  return { jobs, count, questions };
}

async function toTheEnd(
  ask: (beforeSeq: number | undefined) => Promise<number | undefined>,
): Promise<number> {
  let beforeSeq: number | undefined;
  for (let questions = 1; ; questions += 1) {
    const next = await ask(beforeSeq);
    if (next === undefined) return questions;
    assert(beforeSeq === undefined || next < beforeSeq, `${next} is not below ${beforeSeq}`);
    beforeSeq = next;
  }
}
