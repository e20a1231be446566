/** The part of an endpoint's jobs that is in memory: its counters, the head of its queue, and the running jobs. */
import { countChange, type JobCounts } from "../../../core/jobs/job-counts.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { QueueWindow } from "./queue-window.ts";

export interface WindowRoom {
  /** Maximum number of waiting jobs in the window. Later ones are in the store only. */
  readonly windowMax: number;
  /** Whether submitted jobs may lengthen the window. */
  readonly mayGrow: () => boolean;
}

export class EndpointJobs {
  readonly window = new QueueWindow();
  readonly running = new Map<string, Job>();
  /** Waiting jobs behind the window that memory keeps because the store does not have them yet, or because a step reads them. */
  readonly #behind = new Map<string, Job>();
  readonly #room: WindowRoom;
  counts: JobCounts;

  constructor(counts: JobCounts, room: WindowRoom) {
    this.counts = counts;
    this.#room = room;
  }

  /** Waiting jobs that are not in the window. */
  get coldCount(): number {
    return this.counts.inQueue - this.window.jobs.length;
  }

  /** Time since which the oldest job that may cause scaling waits. Undefined if no such job waits, or only the store knows. */
  get waitingSince(): number | undefined {
    return this.window.oldestSince(this.coldCount === 0);
  }

  /** Counts a change of a job and moves it to its place. Undefined stands for a job that does not exist. */
  move(before: Job | undefined, after: Job | undefined): void {
    this.#remove(before);
    // The other waiting jobs, without this one.
    const others = this.counts.inQueue - (before?.status === "IN_QUEUE" ? 1 : 0);
    this.counts = countChange(this.counts, before, after);
    this.place(after, others - this.window.jobs.length);
  }

  /** Puts a counted job in its place. The window has no gaps: a job within it or directly behind it belongs to it. */
  place(job: Job | undefined, coldCount = this.coldCount): void {
    if (job?.status === "IN_PROGRESS") this.running.set(job.id, job);
    if (job?.status !== "IN_QUEUE") return;
    const { window } = this;
    const { mayGrow, windowMax } = this.#room;
    const follows = coldCount === 0 && window.jobs.length < windowMax && mayGrow();
    if (follows || job.queueKey < window.lastKey) window.add(job);
    else this.#behind.set(job.id, job);
  }

  /** Removes a job behind the window from memory. Its row and its count stay. */
  evict(job: Job): void {
    this.#behind.delete(job.id);
  }

  /**
   * Lengthens the window while there is room: by the next jobs of the store, and by jobs in memory between them. Returns the
   * added jobs.
   * @param rows in order of queueKey, without jobs in memory
   * @param upTo the queueKey up to which the rows are complete
   */
  lengthen(rows: readonly Job[], upTo: number): readonly Job[] {
    const known = [...this.#behind.values()].filter(({ queueKey }) => queueKey <= upTo);
    const room = Math.max(0, this.#room.windowMax - this.window.jobs.length);
    const next = [...rows, ...known].toSorted((a, b) => a.queueKey - b.queueKey).slice(0, room);
    for (const job of next) {
      this.#behind.delete(job.id);
      this.window.add(job);
    }
    return next;
  }

  has(job: Job): boolean {
    return job.status === "IN_PROGRESS" || (job.status === "IN_QUEUE" && this.window.has(job));
  }

  #remove(job: Job | undefined): void {
    if (job === undefined) return;
    this.running.delete(job.id);
    this.#behind.delete(job.id);
    if (job.status === "IN_QUEUE") this.window.remove(job);
  }
}
