/** Needs of the second contract of job sources from the other side: a whole service, as its clients see it. */
import type { HandedJob } from "../../../runtime/protocol/outcome.ts";
import type { JobSource } from "../../../runtime/source/job-source.ts";
import { Connected } from "../job-source/connected.ts";

/** A job as clients of the service see it. */
export interface SeenJob {
  /** Whether the job has its result. */
  readonly isDone: boolean;
  /** The output, or the newest progress while the job runs; undefined for neither. */
  readonly output: unknown;
  /** Message of its failure; undefined without one. */
  readonly error: string | undefined;
  /** All its yields, each joined if it came in parts. */
  readonly chunks: readonly unknown[];
}

/** One endpoint of a service that starts no workers by itself. */
export interface JobService extends AsyncDisposable {
  /** The source of a new worker, not yet connected. It retries after a few milliseconds. */
  newSource(): JobSource;
  /** Resolves with the job's id. */
  submit(input: unknown): Promise<string>;
  jobOf(id: string): Promise<SeenJob>;
  cancel(id: string): Promise<void>;
  /** Breaks all connections of workers, and refuses new ones. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Makes the service release jobs that no worker names any more; does nothing if workers are told. */
  giveUpSilentJobs(): Promise<void>;
}

/** A worker that a test controls. Use with `await using`. */
export class TestWorker extends Connected implements AsyncDisposable {
  /** A worker with credit for `credit` jobs. */
  static start(service: JobService, credit: number): TestWorker {
    const worker = new TestWorker(service.newSource());
    worker.source.ready(Math.max(1, credit));
    if (credit > 0) worker.source.grant(credit);
    return worker;
  }

  /** The job that arrives as number `n`, counted from 0. */
  async arrives(n: number): Promise<HandedJob> {
    await this.until(() => this.jobs.length > n);
    const job = this.jobs[n];
    if (job === undefined) throw new Error("The job has just arrived.");
    return job;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.source.close();
  }
}

/** Polls until the job has the expected state. */
export async function seen(
  service: JobService,
  id: string,
  condition: (job: SeenJob) => boolean,
): Promise<SeenJob> {
  for (;;) {
    const job = await service.jobOf(id);
    if (condition(job)) return job;
    await new Promise((look) => setTimeout(look, 2));
  }
}
