/** How a store looks for the jobs that fit a filter: from the newest down, through a bounded number of them. */
import { type FilteredJob, fitsFilter, type JobWindow } from "../core/jobs/job-filter.ts";
import type { Job } from "../core/jobs/job.ts";

/** The keys that a scan goes through: from `first` up to, but not including, `end`. */
export interface SeqRange {
  readonly first: number;
  readonly end: number;
}

/** Of failures that are read to be searched, which a job may have a long one of. */
const MAX_CHARACTERS = 2_000_000;

export class JobScan {
  /** Of the jobs that fit. */
  readonly seqs: number[] = [];
  /** The last job it looked at, unless there was nothing else. */
  nextSeq: number | undefined;
  readonly #window: JobWindow;
  #looked = 0;
  #characters = 0;

  constructor(window: JobWindow) {
    this.#window = window;
  }

  /**
   * Looks at the next job; answers false when that was the last one it looks at.
   *
   * @param characters of what had to be read to be searched
   */
  look(seq: number, job: FilteredJob, characters = 0): boolean {
    const { filter, limit, maxLooked } = this.#window;
    this.#looked += 1;
    this.#characters += characters;
    if (fitsFilter(job, filter)) this.seqs.push(seq);
    const isEnough = this.seqs.length >= limit || this.#looked >= maxLooked;
    if (!isEnough && this.#characters < MAX_CHARACTERS) return true;
    this.nextSeq = seq;
    return false;
  }
}

/** The job with the highest key below that one, of all endpoints. */
type NewestBelow = (end: number) => Pick<Job, "seq" | "submittedAt"> | undefined;

/**
 * Where jobs of the window can be: `submittedAt` ascends with `seq`, so that a moment is found by bisection.
 *
 * @param lastSeq no job has a higher one
 */
export function rangeOf(window: JobWindow, lastSeq: number, newestBelow: NewestBelow): SeqRange {
  const { since, until } = window.filter;
  const last = Math.min(window.beforeSeq ?? Number.MAX_SAFE_INTEGER, lastSeq + 1);
  const end = until === undefined ? last : firstSince(until, last, newestBelow);
  return { first: since === undefined ? 0 : firstSince(since, end, newestBelow), end };
}

/** The lowest key below `end` of a job that was submitted at `at` or later; `end` if there is none. */
function firstSince(at: number, end: number, newestBelow: NewestBelow): number {
  let before = -1;
  let since = end;
  while (since - before > 1) {
    const middle = before + Math.floor((since - before) / 2);
    const job = newestBelow(middle + 1);
    if (job === undefined || job.submittedAt < at) before = middle;
    else since = job.seq;
  }
  return since;
}
