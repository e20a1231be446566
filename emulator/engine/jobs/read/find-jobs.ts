/** Lists and counts jobs of any endpoint that match a filter, for operators. */
import type { JobFilter } from "../../../core/jobs/job-filter.ts";
import type { Job } from "../../../core/jobs/job.ts";
import type { StoreReads } from "../../../store/store.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { CatalogPort } from "../../resources/catalog-port.ts";
import { ownTurn } from "../../limits/own-turn.ts";
import type { JobPage } from "./list-requests.ts";

/** Maximum number of jobs per question to the store, which takes a few ms, so that others are answered between them. */
const LOOKED_AT_ONCE = 1_000;
/** Maximum number of jobs that are read for one page. */
const LOOKED_FOR_PAGE = 10_000;
/** Maximum count, and maximum number of jobs that are read to count. */
const COUNTED = 10_000;
const LOOKED_FOR_COUNT = 100_000;

/**
 * The newest matching jobs below `beforeSeq`. There may be fewer than `limit`, even none, although there is a next page: a page
 * looks at a bounded number of jobs.
 * @throws ServiceError endpoint_not_found, wrong_endpoint_type
 */
export async function findJobs(
  engine: StepPort & CatalogPort,
  filter: JobFilter,
  { limit, beforeSeq }: { readonly limit: number; readonly beforeSeq?: number | undefined },
): Promise<JobPage> {
  refuseUnknown(engine, filter);
  // One more than shown, to see whether there is a next page.
  const wanted = limit + 1;
  const jobs: Job[] = [];
  const nextSeq = await inQuestions(engine, LOOKED_FOR_PAGE, beforeSeq, async (reads, below) => {
    const window = { filter, beforeSeq: below, limit: wanted - jobs.length };
    const found = await reads.findJobs({ ...window, maxLooked: LOOKED_AT_ONCE });
    jobs.push(...found.jobs);
    return jobs.length < wanted ? found : { nextSeq: found.nextSeq, isEnough: true };
  });
  if (jobs.length < wanted) return { jobs, nextSeq };
  const shown = jobs.slice(0, limit);
  return { jobs: shown, nextSeq: shown.at(-1)?.seq };
}

export interface JobCount {
  readonly jobs: number;
  /** True if there may be more jobs, because not all were read. */
  readonly more: boolean;
}

/** Number of matching jobs, up to 10,000. @throws ServiceError endpoint_not_found, wrong_endpoint_type */
export async function countJobs(
  engine: StepPort & CatalogPort,
  filter: JobFilter,
): Promise<JobCount> {
  refuseUnknown(engine, filter);
  let jobs = 0;
  const nextSeq = await inQuestions(engine, LOOKED_FOR_COUNT, undefined, async (reads, below) => {
    const window = { filter, beforeSeq: below, limit: COUNTED + 1 - jobs };
    const { count, nextSeq: next } = await reads.countJobs({
      ...window,
      maxLooked: LOOKED_AT_ONCE,
    });
    jobs += count;
    return { nextSeq: next, isEnough: jobs > COUNTED };
  });
  return jobs > COUNTED ? { jobs: COUNTED, more: true } : { jobs, more: nextSeq !== undefined };
}

function refuseUnknown({ directory }: CatalogPort, { endpointId }: JobFilter): void {
  if (endpointId !== undefined) directory.queue(endpointId);
}

type Ask = (
  reads: StoreReads,
  beforeSeq: number | undefined,
) => Promise<{ readonly nextSeq: number | undefined; readonly isEnough?: boolean }>;

/** Queries until there are no more jobs, enough were found, or `maxLooked` were read. Returns the place of the last job read. */
function inQuestions(
  { steps }: StepPort,
  maxLooked: number,
  beforeSeq: number | undefined,
  ask: Ask,
): Promise<number | undefined> {
  return steps.read(async (reads) => {
    let below = beforeSeq;
    for (let left = maxLooked; left > 0; left -= LOOKED_AT_ONCE) {
      if (left < maxLooked) await ownTurn();
      const { nextSeq, isEnough = false } = await ask(reads, below);
      if (nextSeq === undefined || isEnough) return nextSeq;
      below = nextSeq;
    }
    return below;
  });
}
