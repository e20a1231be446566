/** What the second contract of job sources needs of the other side: a whole service, as its clients see it. */
import type { HandedJob } from "../../../runtime/protocol/outcome.ts";
import type { JobSource } from "../../../runtime/source/job-source.ts";
import { Connected } from "../job-source/connected.ts";

/** A job as clients of the service see it. */
export interface SeenJob {
  /** Whether it has its result. */
  readonly isDone: boolean;
  /** The output or, while it runs, the newest progress; undefined for none. */
  readonly output: unknown;
  /** What its failure says; undefined for none. */
  readonly error: string | undefined;
  /** Everything it has yielded, each put together if it came in parts. */
  readonly chunks: readonly unknown[];
}

/** One endpoint of a service that starts no workers by itself. */
export interface JobService extends AsyncDisposable {
  /** The source of a new worker, not yet connected. It tries again after a few milliseconds. */
  newSource(): JobSource;
  /** Resolves with the job's id. */
  submit(input: unknown): Promise<string>;
  jobOf(id: string): Promise<SeenJob>;
  cancel(id: string): Promise<void>;
  /** All connections of workers are lost, and no new one holds. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Lets the service release jobs that no worker names any more; does nothing where workers are told. */
  giveUpSilentJobs(): Promise<void>;
}

/** A worker in the hands of a test. Use with `await using`. */
export class TestWorker extends Connected implements AsyncDisposable {
  /** One that wants `credit` jobs. */
  static start(service: JobService, credit: number): TestWorker {
    const worker = new TestWorker(service.newSource());
    worker.source.ready(Math.max(1, credit));
    if (credit > 0) worker.source.grant(credit);
    return worker;
  }

  /** The job that arrives as the `n`-th, counted from 0. */
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

/** Looks again and again until the job is as it should be. */
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
