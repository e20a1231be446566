/**
 * Sends the large input of the next job to a busy worker process, so that it is there when the worker is free. The job stays in the
 * queue. If another job is next then, or the worker does not have the whole input, jobs are handed over with their inputs as usual.
 * Only for an endpoint with one worker, because nobody knows which one of several will be free first.
 */
import type { Job } from "../../../core/jobs/job.ts";
import type { LimitPort } from "../../limits/bytes-in-flight.ts";
import type { StepPort } from "../../steps/step-port.ts";
import type { TimePort } from "../../time/time-port.ts";
import type { WorkerHandle } from "../../workers/worker-handle.ts";
import type { WorkerPort } from "../../workers/worker-port.ts";
import { lendInput, SMALL_INPUT_BYTES } from "./lend-input.ts";

type AheadUses = Pick<
  StepPort & TimePort & WorkerPort & LimitPort,
  "steps" | "ownership" | "fleet" | "lease" | "realClock" | "sending" | "jobPayloads"
>;

export class InputsAhead {
  readonly #uses: AheadUses;
  /** The job whose input each worker was sent last, or that needs none. */
  readonly #looked = new WeakMap<WorkerHandle, string>();

  constructor(uses: AheadUses) {
    this.#uses = uses;
  }

  /** Call it when jobs of the endpoint have changed. */
  readonly consider = (endpointId: string): void => {
    const { fleet, ownership, steps } = this.#uses;
    const worker = ownership.isShared ? undefined : fleet.onlyWorkerOf(endpointId);
    if (worker?.launched?.kind !== "process" || worker.credit > 0 || worker.heldCount === 0) return;
    // It would overtake the hand-over whose input is ahead.
    if (worker.unsentCount > 0) return;
    const next = steps.nextWithoutInput(endpointId);
    if (next === undefined || this.#looked.get(worker) === next.id) return;
    this.#looked.set(worker, next.id);
    // The hand-over finds what is wrong with an input.
    this.#send(worker, next).catch(() => undefined);
  };

  async #send(worker: WorkerHandle, job: Job): Promise<void> {
    const stored = await this.#uses.jobPayloads(job);
    if (stored === undefined || stored.input.sizeBytes <= SMALL_INPUT_BYTES) return;
    const { input, s3Config } = stored;
    await lendInput(this.#uses, input, (bytes) =>
      worker.ahead.send({ jobId: job.id, input: bytes }, s3Config),
    );
  }
}
