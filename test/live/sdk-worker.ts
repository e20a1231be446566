/** A worker that sends the requests of the live service's Python SDK: its URLs, queries, headers and bodies. */
import { request, type Dispatcher } from "undici";

const SDK_VERSION = "1.12.0";

/** Environment of the worker. */
export interface SdkWorkerOptions {
  /** Base URL of the service, without a path. */
  readonly url: string;
  readonly endpointId: string;
  readonly workerId: string;
  /** Key, sent without `Bearer`. */
  readonly key: string;
  /** Name of the GPU; default `NVIDIA RTX A5000`. */
  readonly gpu?: string;
  readonly dispatcher?: Dispatcher;
}

export interface SdkAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

/** A job as the SDK takes it: both keys are required. */
export interface SdkJob {
  readonly id: string;
  readonly input: unknown;
  readonly [key: string]: unknown;
}

export class SdkWorker {
  readonly id: string;
  readonly #options: SdkWorkerOptions;
  /** Environment variables in their usual form, with the worker's id filled in. */
  readonly #takeUrl: string;
  /** The SDK sets this header on its shared session, so all requests after the first result have it. */
  #requestId: string | undefined;
  /** Ids of its running jobs: from their take until their result was posted, whatever the answer. */
  readonly #held = new Set<string>();

  constructor(options: SdkWorkerOptions) {
    this.id = options.workerId;
    this.#options = options;
    this.#takeUrl = `${this.#base("job-take")}${this.#gpu()}`;
  }

  /**
   * Requests one job. Undefined without one.
   * @throws Error for an answer that breaks the SDK
   */
  async take(signal?: AbortSignal): Promise<SdkJob | undefined> {
    const [job] = await this.#taken(this.#takeUrl, signal);
    return job;
  }

  /** Requests up to `count` jobs, more than one. */
  takeBatch(count: number, signal?: AbortSignal): Promise<readonly SdkJob[]> {
    const url = this.#takeUrl.replace("/job-take/", "/job-take-batch/");
    return this.#taken(`${url}&batch_size=${count}`, signal);
  }

  /** Ids of the jobs to stop; empty without one. */
  async jobsToStop(signal?: AbortSignal): Promise<readonly string[]> {
    const answer = await this.ask(this.#takeUrl.replace("/job-take/", "/job-stop/"), signal);
    if (answer.status === 204) return [];
    if (answer.status !== 200) throw new Error(`job-stop answered ${answer.status} ${answer.text}`);
    const { jobsToStop } = JSON.parse(answer.text) as { readonly jobsToStop: readonly string[] };
    for (const jobId of jobsToStop) this.#held.delete(jobId);
    return jobsToStop;
  }

  /** Posts a result: its JSON text, or a value that becomes one. */
  async done(jobId: string, body: unknown, isStream = false): Promise<SdkAnswer> {
    const answer = await this.#post("job-done", jobId, body, isStream);
    this.#held.delete(jobId);
    return answer;
  }

  /** Drops all its jobs without a report, as if the results could not be posted. */
  forgetJobs(): void {
    this.#held.clear();
  }

  /** Posts one yield. */
  stream(jobId: string, output: unknown): Promise<SdkAnswer> {
    return this.streamText(jobId, { output });
  }

  /** Posts a body like a yield: its JSON text, or a value that becomes one. */
  streamText(jobId: string, body: unknown): Promise<SdkAnswer> {
    return this.#post("job-stream", jobId, body, false);
  }

  /** Posts a progress value, like a thread of its own. */
  progress(jobId: string, output: unknown): Promise<SdkAnswer> {
    return this.#post("job-done", jobId, { status: "IN_PROGRESS", output }, false);
  }

  /** The heartbeat of the SDK's own process, which names the jobs it holds. */
  ping(jobIds: readonly string[] = []): Promise<SdkAnswer> {
    const ids: Record<string, string> = jobIds.length > 0 ? { job_id: jobIds.join(",") } : {};
    return this.#ping({ ...ids, runpod_version: SDK_VERSION });
  }

  /** Its report of a failed check, before it exits with 1. */
  unhealthy(check: string, reason: string): Promise<SdkAnswer> {
    const query = { status: "unhealthy", check, reason: reason.slice(0, 256) };
    return this.#ping({ ...query, runpod_version: SDK_VERSION });
  }

  /** A GET over the shared session. */
  ask(url: string, signal?: AbortSignal): Promise<SdkAnswer> {
    return this.#send(url, {
      method: "GET",
      headers: {
        ...this.#sessionHeaders(),
        "content-type": "application/json",
        ...(this.#requestId !== undefined && { "x-request-id": this.#requestId }),
      },
      ...(signal && { signal }),
    });
  }

  async #taken(url: string, signal: AbortSignal | undefined): Promise<readonly SdkJob[]> {
    const jobInProgress = this.#held.size > 0 ? 1 : 0;
    const jobs = jobsIn(await this.ask(`${url}&job_in_progress=${jobInProgress}`, signal));
    for (const { id } of jobs) this.#held.add(id);
    return jobs;
  }

  #post(operation: string, jobId: string, body: unknown, isStream: boolean): Promise<SdkAnswer> {
    this.#requestId = jobId;
    const url = `${this.#base(operation)}/${jobId}${this.#gpu()}&isStream=${isStream}`;
    return this.#send(url, {
      method: "POST",
      headers: {
        ...this.#sessionHeaders(),
        charset: "utf-8",
        "content-type": "application/x-www-form-urlencoded",
        "x-request-id": jobId,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }

  #ping(query: Readonly<Record<string, string>>): Promise<SdkAnswer> {
    return this.#send(`${this.#base("ping")}?${new URLSearchParams(query).toString()}`, {
      method: "GET",
      headers: {
        authorization: this.#options.key,
        "user-agent": "python-requests/2.32.3",
        accept: "*/*",
      },
    });
  }

  async #send(
    url: string,
    options: Omit<Dispatcher.RequestOptions, "origin" | "path">,
  ): Promise<SdkAnswer> {
    const { dispatcher } = this.#options;
    const { statusCode, headers, body } = await request(url, {
      ...options,
      ...(dispatcher && { dispatcher }),
    });
    const type = headers["content-type"];
    const contentType = typeof type === "string" ? type.split(";", 1)[0] : undefined;
    return { status: statusCode, contentType, text: await body.text() };
  }

  #sessionHeaders() {
    return {
      authorization: this.#options.key,
      "user-agent": `RunPod-Python-SDK/${SDK_VERSION} (Linux 6.8; x86_64) Language/Python 3.11.9`,
      "accept-encoding": "gzip, deflate",
    };
  }

  #base(operation: string): string {
    const { url, endpointId } = this.#options;
    return `${url}/live/v2/${endpointId}/${operation}/${this.id}`;
  }

  #gpu(): string {
    return `?gpu=${(this.#options.gpu ?? "NVIDIA RTX A5000").replaceAll(" ", "+")}`;
  }
}

/** What the SDK makes of the answer to a take: an object or a list is jobs, 204 and 400 are none. */
function jobsIn({ status, contentType, text }: SdkAnswer): readonly SdkJob[] {
  if (status === 204 || status === 400) return [];
  if (status !== 200) throw new Error(`job-take answered ${status} ${text}`);
  if (contentType !== "application/json") throw new Error(`job-take answered ${contentType}`);
  const body: unknown = JSON.parse(text);
  const jobs = (Array.isArray(body) ? body : [body]) as readonly Partial<SdkJob>[];
  return jobs.map((job) => {
    const { id, input } = job;
    if (id === undefined || input === undefined) throw new Error("Job has missing field(s)");
    return { ...job, id, input };
  });
}

/** The text of `error` as the SDK reports an exception. */
export function sdkException(type: string, message: string, workerId: string): string {
  return JSON.stringify({
    error_type: `<class '${type}'>`,
    error_message: message,
    error_traceback: `Traceback (most recent call last):\n  File "/handler.py", line 3, in handler\n${type}: ${message}\n`,
    hostname: "unknown",
    worker_id: workerId,
    runpod_version: SDK_VERSION,
  });
}
