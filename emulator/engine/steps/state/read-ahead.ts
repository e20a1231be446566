/** Reads the heads of queues into memory. */
import type { Job } from "../../../core/jobs/job.ts";
import type { StoreReads } from "../../../store/store.ts";
import type { JobMemory } from "./job-memory.ts";

export interface ReadAheadParts {
  readonly jobs: JobMemory;
  readonly store: Pick<StoreReads, "waitingJobs">;
  /** Number of waiting jobs per read. */
  readonly limit: number;
  readonly reading: (read: Promise<readonly Job[]>) => unknown;
}

export class ReadAhead {
  readonly #parts: ReadAheadParts;
  /** Endpoints with a running read of waiting jobs. */
  readonly #underWay = new Set<string>();

  constructor(parts: ReadAheadParts) {
    this.#parts = parts;
  }

  /**
   * Reads waiting jobs of the endpoint into memory. True if memory has more of them now.
   *
   * @throws ServiceError endpoint_moved
   */
  async read(endpointId: string): Promise<boolean> {
    const endpoint = this.#parts.jobs.endpoint(endpointId);
    if (endpoint.coldCount === 0 || this.#underWay.has(endpointId)) return false;
    this.#underWay.add(endpointId);
    const { length } = endpoint.window.jobs;
    try {
      while (!(await this.#lengthen(endpointId)));
    } finally {
      this.#underWay.delete(endpointId);
    }
    return endpoint.window.jobs.length > length;
  }

  async #lengthen(endpointId: string): Promise<boolean> {
    const { jobs, limit, reading, store } = this.#parts;
    using _ = jobs.beginRead();
    const { loads } = jobs;
    const after = jobs.endpoint(endpointId).window.lastKey;
    const read = store.waitingJobs(endpointId, after, limit);
    reading(read);
    const rows = await read;
    // Rows that were read before a load may be outdated.
    return loads === jobs.loads && jobs.lengthen(endpointId, rows, { after, limit });
  }
}
