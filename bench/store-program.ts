/** A data directory or a database with queues of any length, used through the store in a process of its own. */
import { z } from "zod";
import { Program } from "./asking.ts";

const FILL_STEP_JOBS = 50_000;

export class StoreProgram implements AsyncDisposable {
  readonly #program = new Program("store");

  async open(directory: string): Promise<void> {
    await this.#program.ask(z.null(), { kind: "open", directory });
  }

  async openDatabase(url: string): Promise<void> {
    await this.#program.ask(z.null(), { kind: "open-database", url });
  }

  /** Adds waiting jobs of 200 B. `said` is called with their number so far. */
  async fill(endpointId: string, jobs: number, said: (done: number) => void): Promise<void> {
    for (let done = 0; done < jobs; done += FILL_STEP_JOBS) {
      said(done);
      const count = Math.min(FILL_STEP_JOBS, jobs - done);
      await this.#program.ask(z.null(), { kind: "fill", endpointId, jobs: count });
    }
  }

  /** Adds endpoints without workers, each with this number of waiting jobs of 200 B. */
  async crowd(endpoints: number, jobsEach: number): Promise<void> {
    await this.#program.ask(z.null(), { kind: "crowd", endpoints, jobsEach });
  }

  /** Microseconds to insert, hand over and finish a job, with `perCommit` jobs in each commit. */
  async cycleMicros(endpointId: string, jobs: number, perCommit: number): Promise<number> {
    const question = { kind: "cycle", endpointId, jobs, perCommit };
    const tookMs = await this.#program.ask(z.number(), question);
    return (tookMs * 1000) / jobs;
  }

  async close(): Promise<void> {
    await this.#program.ask(z.null(), { kind: "close" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await this.#program[Symbol.asyncDispose]();
  }
}
