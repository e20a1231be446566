/** A client that records each of its answers, and each broken connection. */
import {
  type Client,
  ConnectionError,
  createClient,
  type EndpointClient,
  type Job,
  JobError,
  NotFoundError,
  ValidationError,
} from "../../../runtime/client/index.ts";
import type { History } from "./history.ts";
import { API_KEY } from "./killable-emulator.ts";

/** Records the answer, or that the connection broke. Throws at unexpected refusals. */
export class RecordingClient implements AsyncDisposable {
  readonly #history: History;
  readonly #client: Client;
  readonly #endpoint: EndpointClient;

  constructor(history: History, baseUrl: string, endpointId: string) {
    this.#history = history;
    // The test decides about retries: each broken connection is a fact.
    this.#client = createClient({ baseUrl, apiKey: API_KEY, retry: { maxAttempts: 1 } });
    this.#endpoint = this.#client.endpoint(endpointId);
  }

  /** The id of the new job; undefined if the connection broke. */
  async submit(input: {
    readonly marker: string;
    readonly [name: string]: unknown;
  }): Promise<string | undefined> {
    const { marker } = input;
    try {
      const { id: jobId } = await this.#endpoint.run(input);
      this.#history.add({ type: "submitted", jobId, marker });
      return jobId;
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      const type = error.mayHaveBeenSent ? "submission-unanswered" : "submission-refused";
      this.#history.add({ type, marker });
      return undefined;
    }
  }

  /** Whether the job's end was seen; the service holds the request until the end. */
  async waitForEnd(jobId: string): Promise<boolean> {
    return this.#see(jobId, async () => {
      try {
        return await this.#endpoint.wait(jobId);
      } catch (error) {
        if (error instanceof JobError) return error.job;
        throw error;
      }
    });
  }

  /** Whether the job's present state was seen. */
  async look(jobId: string): Promise<boolean> {
    return this.#see(jobId, () => this.#endpoint.status(jobId));
  }

  /** Whether the job is cancelled now. */
  async cancel(jobId: string): Promise<boolean> {
    return this.#ask(jobId, "cancelled", "cancel-unanswered", () => this.#endpoint.cancel(jobId));
  }

  /** Whether the job was queued again. */
  async retry(jobId: string): Promise<boolean> {
    return this.#ask(jobId, "retried", "retry-unanswered", () => this.#endpoint.retry(jobId));
  }

  /** Records the chunks of a job that has ended. */
  async readStream(jobId: string): Promise<void> {
    const outputs: unknown[] = [];
    for await (const { output } of this.#endpoint.stream(jobId)) outputs.push(output);
    this.#history.add({ type: "streamed", jobId, outputs });
  }

  async health(): ReturnType<EndpointClient["health"]> {
    return this.#endpoint.health();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }

  async #see(jobId: string, ask: () => Promise<Job>): Promise<boolean> {
    try {
      const { status, output } = await ask();
      this.#history.add({ type: "seen", jobId, status, output });
      return true;
    } catch (error) {
      if (error instanceof NotFoundError) this.#history.add({ type: "not-found", jobId });
      else if (!(error instanceof ConnectionError)) throw error;
      return error instanceof NotFoundError;
    }
  }

  async #ask(
    jobId: string,
    done: "cancelled" | "retried",
    unanswered: "cancel-unanswered" | "retry-unanswered",
    ask: () => Promise<unknown>,
  ): Promise<boolean> {
    try {
      await ask();
      this.#history.add({ type: done, jobId });
      return true;
    } catch (error) {
      if (error instanceof ConnectionError) {
        if (error.mayHaveBeenSent) this.#history.add({ type: unanswered, jobId });
      } else if (!isOverAlready(error)) throw error;
      return false;
    }
  }
}

/** The job ended between the look that showed it running and this request; the refusal changed nothing. */
function isOverAlready(error: unknown): boolean {
  return error instanceof ValidationError && error.code === "job_already_finished";
}
