/** Reads the jobs of the list from the service, page by page. */
import { call } from "../../service/call.ts";
import { dispatch, state } from "../../state/store.ts";
import { isLive, type JobFilter, type JobsPage } from "../../state/job-list.ts";
import { parametersOf } from "./job-query.ts";

const PAGE_ROWS = "100";

/** Minimum interval between counts, ms: a count looks through many jobs. */
const COUNT_PACE_MS = 5_000;

let countedAt = Number.NEGATIVE_INFINITY;

export async function loadJobs(filter: JobFilter): Promise<void> {
  dispatch({ type: "jobs-asked", filter });
  const isCounted =
    performance.now() - countedAt > COUNT_PACE_MS || state.peek().jobs.count === undefined;
  if (isCounted) countedAt = performance.now();
  await load(filter, isCounted ? { count: "true" } : {}, false);
}

export async function loadMore(): Promise<void> {
  const { filter, next, reading } = state.peek().jobs;
  if (next === undefined || reading !== "here") return;
  dispatch({ type: "jobs-asked-more" });
  await load(filter, { cursor: next }, true);
}

async function load(
  filter: JobFilter,
  more: Readonly<Record<string, string>>,
  isMore: boolean,
): Promise<void> {
  try {
    let page = await ask(filter, more);
    // A page may be empty although more jobs follow.
    for (let empty = 0; isEmpty(page) && empty < MOST_EMPTY; empty += 1) {
      page = { ...(await ask(filter, { cursor: page.next ?? "" })), count: page.count };
    }
    dispatch({ type: "jobs-answered", filter, page, isMore });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    dispatch({ type: "jobs-refused", filter, problem });
  }
}

/** Maximum pages without a job that are read in a row. */
const MOST_EMPTY = 200;

function isEmpty({ jobs, next }: JobsPage): boolean {
  return jobs.length === 0 && next !== undefined;
}

function ask(filter: JobFilter, more: Readonly<Record<string, string>>): Promise<JobsPage> {
  const query = new URLSearchParams({ ...parametersOf(filter), limit: PAGE_ROWS, ...more });
  return call<"listJobs">(`emulator/jobs?${query}`);
}

/** Whether the rows must be read again: never while the list is paused. */
export function wantsReload(): boolean {
  const { jobs, link } = state.value;
  return (
    jobs.isStale &&
    isLive(jobs) &&
    jobs.reading !== "asking" &&
    jobs.reading !== "more" &&
    link.phase === "live"
  );
}
