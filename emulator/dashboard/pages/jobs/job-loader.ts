/** Asks the service for the jobs of the list: the first page, the pages behind it, and the first one again when it changed. */
import { call } from "../../service/call.ts";
import { dispatch, state } from "../../state/store.ts";
import { isLive, type JobsPage } from "../../state/job-list.ts";
import { type JobFilter, parametersOf } from "./job-query.ts";

const PAGE_ROWS = "100";

/** A count looks through many jobs, so it is asked for less often. */
const COUNT_PACE_MS = 5_000;

let countedAt = Number.NEGATIVE_INFINITY;

/** The first page for that filter. */
export async function loadJobs(filter: JobFilter): Promise<void> {
  dispatch({ type: "jobs-asked", filter });
  const isCounted =
    performance.now() - countedAt > COUNT_PACE_MS || state.peek().jobs.count === undefined;
  if (isCounted) countedAt = performance.now();
  await load(filter, isCounted ? { count: "true" } : {}, false);
}

/** The page behind those that are there. */
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
    // A page may be empty while there are more jobs to look through.
    for (
      let tries = 0;
      page.jobs.length === 0 && page.next !== undefined && tries < MOST_EMPTY;
      tries += 1
    ) {
      page = { ...(await ask(filter, { cursor: page.next })), count: page.count };
    }
    dispatch({ type: "jobs-answered", filter, page, isMore });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    dispatch({ type: "jobs-refused", filter, problem });
  }
}

/** Pages without a job that are gone through at once. */
const MOST_EMPTY = 200;

function ask(filter: JobFilter, more: Readonly<Record<string, string>>): Promise<JobsPage> {
  const query = new URLSearchParams({ ...parametersOf(filter), limit: PAGE_ROWS, ...more });
  return call<"listJobs">(`emulator/jobs?${query}`);
}

/** Whether rows are to be read anew: never while they are held. */
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
