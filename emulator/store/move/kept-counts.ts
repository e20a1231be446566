/** Counts what a store keeps, through the port, to compare two stores. */
import { isDeepStrictEqual } from "node:util";
import { StoreUnusableError } from "../../core/store-error.ts";
import type { Store } from "../store.ts";

const ALL = 1_000_000_000;
/** The mark of an unfinished move does not count. */
const NOT_COUNTED = "unfinishedMove";

export interface KeptCounts {
  readonly jobs: number;
  readonly deliveries: number;
  readonly reports: number;
  readonly records: number;
}

/** @param page maximum number of jobs or deliveries of one read */
export async function countsOf(store: Store, page = 1_000): Promise<KeptCounts> {
  const { records } = await store.boot();
  const counted = Object.entries(records).filter(([kind]) => kind !== NOT_COUNTED);
  const usage = await store.usage();
  return {
    jobs: await jobsIn(store, page),
    deliveries: await deliveriesIn(store, page),
    reports: (await store.reports.list({}, ALL)).length,
    records: counted.reduce((sum, [, { size }]) => sum + size, usage.length),
  };
}

async function jobsIn(store: Store, page: number): Promise<number> {
  let jobs = 0;
  for (let beforeSeq: number | undefined; ;) {
    const { count, nextSeq } = await store.countJobs({
      filter: {},
      limit: page,
      maxLooked: page,
      beforeSeq,
    });
    jobs += count;
    if (nextSeq === undefined) return jobs;
    beforeSeq = nextSeq;
  }
}

async function deliveriesIn(store: Store, page: number): Promise<number> {
  let deliveries = 0;
  for (let before: number | undefined; ;) {
    const found = await store.deliveries.list({}, page, before);
    if (found.length === 0) return deliveries;
    deliveries += found.length;
    before = found.at(-1)?.seq;
  }
}

/** @throws StoreUnusableError if they differ */
export function refuseOtherCounts(source: KeptCounts, target: KeptCounts): void {
  if (isDeepStrictEqual(source, target)) return;
  const shown = JSON.stringify;
  throw new StoreUnusableError(
    `the move is not complete: the source has ${shown(source)}, the target ${shown(target)}; move into an empty database again`,
  );
}
