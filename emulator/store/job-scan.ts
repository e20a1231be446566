/** Scans a store for jobs that fit a filter. The scan goes from the newest job down, through a bounded number of jobs. */
import { type FilteredJob, fitsFilter, type JobWindow } from "../core/jobs/job-filter.ts";
import type { Job } from "../core/jobs/job.ts";

/** Range of keys of a scan, from `first` up to, but not including, `end`. */
export interface SeqRange {
  readonly first: number;
  readonly end: number;
}

/** Maximum number of characters of failures that one scan searches. */
const MAX_CHARACTERS = 2_000_000;

export class JobScan {
  /** Keys of the jobs that fit. */
  readonly seqs: number[] = [];
  /** Key of the last job of the scan. Undefined if the scan reached the end. */
  nextSeq: number | undefined;
  readonly #window: JobWindow;
  #looked = 0;
  #characters = 0;

  constructor(window: JobWindow) {
    this.#window = window;
  }

  /** Looks at the next job. Returns false if the scan ends with it. @param characters length of the text that was searched */
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

/** The job of any endpoint with the highest key below `end`. */
type NewestBelow = (end: number) => Pick<Job, "seq" | "submittedAt"> | undefined;

/**
 * Returns the range of keys in the window. `submittedAt` ascends with `seq`, so bisection finds a moment.
 *
 * @param lastSeq highest key of a job
 */
export function rangeOf(window: JobWindow, lastSeq: number, newestBelow: NewestBelow): SeqRange {
  const { since, until } = window.filter;
  const last = Math.min(window.beforeSeq ?? Number.MAX_SAFE_INTEGER, lastSeq + 1);
  const end = until === undefined ? last : firstSince(until, last, newestBelow);
  return { first: since === undefined ? 0 : firstSince(since, end, newestBelow), end };
}

/** Returns the lowest key below `end` of a job submitted at `at` or later, or `end` if there is none. */
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
