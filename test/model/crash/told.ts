/** Everything that was told about jobs outside the service, over all its lives, compared with the store after a crash. */
import { isTerminal, type JobStatus } from "../../../runtime/protocol/job-status.ts";

/** A job as the store has it after a crash. */
export interface StoredJob {
  readonly status: JobStatus;
  readonly attempt: number;
  readonly output: string | undefined;
}

interface End {
  readonly status: JobStatus;
  /** Raw JSON; undefined if nobody was told the output. */
  readonly output?: string | undefined;
}

class ToldOfJob {
  /** The highest number of an attempt that anybody saw. */
  attempt = 0;
  end: End | undefined;
  /** A request may have deleted it, or its retention. */
  mayBeGone: boolean;
  /** Somebody has asked to run it again after its end. */
  mayRunAgain = false;
  /** Moves to IN_PROGRESS that events told of. */
  starts = 0;
  /** Texts of chunks by attempt and index. */
  readonly chunks = new Map<string, string>();

  constructor(jobId: string) {
    this.mayBeGone = jobId.startsWith("sync-");
  }
}

export class Told {
  readonly #jobs = new Map<string, ToldOfJob>();
  /** Contradictions between two things that were told. */
  readonly contradictions: string[] = [];

  get jobIds(): readonly string[] {
    return [...this.#jobs.keys()];
  }

  /** Jobs of which nobody was told an end. */
  get openIds(): readonly string[] {
    return this.jobIds.filter((jobId) => this.of(jobId).end === undefined);
  }

  of(jobId: string): ToldOfJob {
    const known = this.#jobs.get(jobId) ?? new ToldOfJob(jobId);
    this.#jobs.set(jobId, known);
    return known;
  }

  status(jobId: string, status: JobStatus, output?: string): void {
    if (isTerminal(status)) this.of(jobId).end = { status, output };
  }

  attempt(jobId: string, attempt: number): void {
    const job = this.of(jobId);
    job.attempt = Math.max(job.attempt, attempt);
  }

  chunk(jobId: string, attempt: number, index: number, text: string): void {
    this.attempt(jobId, attempt);
    const { chunks } = this.of(jobId);
    const place = `${attempt}.${index}`;
    const before = chunks.get(place) ?? text;
    chunks.set(place, text);
    if (before !== text) this.contradictions.push(`${jobId}: chunk ${place} was ${before}`);
  }
}

/** What the store contradicts, as sentences. */
export function undone(told: Told, stored: ReadonlyMap<string, StoredJob>): readonly string[] {
  const wrong = [...told.contradictions];
  for (const jobId of told.jobIds) {
    const { attempt, mayBeGone, mayRunAgain, ...toldOf } = told.of(jobId);
    const end = mayRunAgain ? undefined : toldOf.end;
    const job = stored.get(jobId);
    if (job === undefined) {
      if (!mayBeGone) wrong.push(`${jobId} is gone`);
      continue;
    }
    if (job.attempt < attempt) wrong.push(`${jobId}: attempt ${attempt} would be made again`);
    if (end && job.status !== end.status)
      wrong.push(`${jobId} is ${job.status}, not ${end.status}`);
    if (end?.output !== undefined && job.output !== end.output)
      wrong.push(`${jobId} has the output ${job.output}, not ${end.output}`);
  }
  return wrong;
}
