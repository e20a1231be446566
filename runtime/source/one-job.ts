/** A job source with one job and no service, for `sv-worker run`. */
import type { ChunkBatch } from "../protocol/chunk-batch.ts";
import { LIMITS } from "../protocol/limits.ts";
import type { HandedJob, LeaseRef, Outcome } from "../protocol/outcome.ts";
import type { Welcome } from "../protocol/session.ts";
import type { JobSource, JobSourceListener } from "./job-source.ts";

const JOB_ID = "job-1";

export interface OneJobOptions {
  /** Raw JSON text. */
  readonly input: Uint8Array;
  readonly executionTimeoutMs: number;
  /** Takes chunks, a line of JSON each. The handler yields no faster than `taken` is called. */
  chunks(lines: Uint8Array, taken: () => void): void;
  /** Takes the newest progress value, raw JSON text. */
  progress(value: Uint8Array): void;
}

/** The job's life: waiting for the handler → handed over → over, with an outcome, cancelled, or never begun. */
export class OneJobSource implements JobSource {
  readonly #options: OneJobOptions;
  readonly #outcome = Promise.withResolvers<Outcome>();
  readonly #settled = Promise.withResolvers<void>();
  #listener: JobSourceListener | undefined;
  #isHanded = false;

  constructor(options: OneJobOptions) {
    this.#options = options;
  }

  /** Never settles if the handler cannot be made ready. */
  get outcome(): Promise<Outcome> {
    return this.#outcome.promise;
  }

  /** Resolves when the handler itself has stopped, which may be after the outcome. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** Asks the handler to stop; the outcome is `stopped`. Does nothing for an ended job. */
  cancel(): void {
    if (this.#isHanded) {
      this.#listener?.revoked({ jobId: JOB_ID, leaseToken: JOB_ID, reason: "cancelled" });
    } else {
      this.#isHanded = true;
      this.#settled.resolve();
    }
    this.#outcome.resolve({ kind: "stopped" });
  }

  connect(listener: JobSourceListener): Promise<Welcome> {
    this.#listener = listener;
    const { leaseMs, leaseRenewalMs } = LIMITS;
    return Promise.resolve({ workerId: "local", endpointId: "local", leaseMs, leaseRenewalMs });
  }

  ready(): void {}

  describe(): void {}

  initFailed(): Promise<void> {
    return Promise.resolve();
  }

  grant(): void {
    // A request for another job shows that this one has stopped.
    if (this.#isHanded) return this.#settled.resolve();
    this.#isHanded = true;
    this.#listener?.job(this.#job());
  }

  chunks(lease: LeaseRef, { firstIndex, count, lines }: ChunkBatch): void {
    const taken = () => this.#listener?.chunksStored(lease, firstIndex + count);
    this.#options.chunks(lines, taken);
  }

  progress(_: LeaseRef, value: Uint8Array): void {
    this.#options.progress(value);
  }

  paused(): void {}

  finish(_: LeaseRef, outcome: Outcome): Promise<{ readonly accepted: boolean }> {
    this.#outcome.resolve(outcome);
    return Promise.resolve({ accepted: true });
  }

  draining(): void {}

  close(): Promise<void> {
    this.#settled.resolve();
    return Promise.resolve();
  }

  #job(): HandedJob {
    const { input, executionTimeoutMs } = this.#options;
    return { jobId: JOB_ID, leaseToken: JOB_ID, attempt: 1, input, executionTimeoutMs };
  }
}
