/** A service with the endpoint `echo`, its clients, and live workers that were started by hand. */
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import { SdkWorker, type SdkJob } from "../../live/sdk-worker.ts";
import {
  startTestHttp,
  type TestHttp,
  type TestHttpOptions,
  USER_KEY,
} from "../http/http-harness.ts";

/** A job as `/status` shows it. */
export interface ShownJob {
  readonly id: string;
  readonly status: JobStatus;
  readonly output?: unknown;
  readonly error?: string;
  readonly failure?: Readonly<Record<string, unknown>>;
  readonly retries?: number;
  readonly workerId?: string;
}

export class LiveScene implements AsyncDisposable {
  readonly service: TestHttp;
  /** A worker with a user's key. */
  readonly worker: SdkWorker;

  private constructor(service: TestHttp) {
    this.service = service;
    this.worker = this.workerNamed("by-hand");
  }

  static async set(options: TestHttpOptions = {}): Promise<LiveScene> {
    return new LiveScene(await startTestHttp(options));
  }

  workerNamed(workerId: string, key = USER_KEY, endpointId = "echo"): SdkWorker {
    return new SdkWorker({ url: this.service.url, endpointId, workerId, key });
  }

  async submit(input: unknown = {}, more: object = {}): Promise<string> {
    const { json } = await this.service.call("POST", "/v2/echo/run", { body: { input, ...more } });
    return (json as ShownJob).id;
  }

  async status(jobId: string): Promise<ShownJob> {
    return (await this.service.call("GET", `/v2/echo/status/${jobId}`)).json as ShownJob;
  }

  /** The job as clients of the live service see it. */
  async liveStatus(jobId: string): Promise<unknown> {
    return (await this.service.call("GET", `/live/v2/echo/status/${jobId}`)).json;
  }

  /** Submits a job with that input, which the worker takes alone. */
  async handOut(worker = this.worker, input: unknown = {}, more: object = {}): Promise<SdkJob> {
    await this.submit(input, more);
    const job = await worker.take();
    if (!job) throw new Error("the worker got no job");
    return job;
  }

  /** Resolves when a take of the worker is open: it gets the next job. */
  async waitsForJobs(workerId = "by-hand"): Promise<void> {
    const { fleet } = this.service.test.engine;
    await this.until(() => (fleet.find(workerId)?.credit ?? 0) > 0);
  }

  /** Resolves when no take of the worker is open any more. */
  async waitsNoMore(workerId = "by-hand"): Promise<void> {
    const { fleet } = this.service.test.engine;
    await this.until(() => (fleet.find(workerId)?.credit ?? 0) === 0);
  }

  /** Resolves when the condition holds. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await this.service.test.clock.settle();
  }

  /** Advances time, a second at a time, until `done` settles. */
  async passTime<T>(done: Promise<T>): Promise<T> {
    const settled = done.then(
      () => true,
      () => true,
    );
    const second = async () => {
      await this.advance(1_000);
      return false;
    };
    while (!(await Promise.race([settled, second()])));
    return done;
  }

  /** Advances real and service time alike. */
  async advance(ms: number): Promise<void> {
    await this.service.test.clock.advance(ms);
  }

  /** Messages of the service's log. */
  logged(): readonly string[] {
    return this.service.test.logged.map(({ message }) => message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
  }
}
