/** Refusals of batches caused by a defect of the caller. Every adapter uses the same words. */
import { FIELDS, type Job } from "../core/jobs/job.ts";
import type { Delivery } from "../core/webhooks/delivery.ts";
import type { JobRow } from "./batch.ts";
import { BatchRefusedError } from "./store.ts";

const FIXED = FIELDS.filter(({ fixed }) => fixed).map(({ name }) => name);

/** @throws BatchRefusedError when a fixed field changes */
export function refuseFixedChange({ before, after }: JobRow): void {
  const changed = before && FIXED.find((name) => before[name] !== after[name]);
  if (changed) throw new BatchRefusedError(`the ${changed} of job ${before.id} never changes`);
}

export function jobNotStored({ id, seq, status }: Pick<Job, "id" | "seq" | "status">): Error {
  return new BatchRefusedError(`job ${id} is not stored with seq ${seq} and status ${status}`);
}

export function jobAlreadyStored({ id, seq }: Pick<Job, "id" | "seq">): Error {
  return new BatchRefusedError(`a job with id ${id} or seq ${seq} is already stored`);
}

export function chunksOutOfOrder(seq: number, firstIndex: number): Error {
  return new BatchRefusedError(`chunk ${firstIndex} of job ${seq} is not the next one`);
}

export function payloadNotStaged(name: string): Error {
  return new BatchRefusedError(
    `payload file ${name} was not staged by this store or is already taken`,
  );
}

export function deliveryNotStored(id: string): Error {
  return new BatchRefusedError(`delivery ${id} is not stored`);
}

export function deliveryAlreadyStored({ id, seq }: Pick<Delivery, "id" | "seq">): Error {
  return new BatchRefusedError(`a delivery with id ${id} or seq ${seq} is already stored`);
}

export function countsMissing(endpointId: string): Error {
  return new BatchRefusedError(`the batch lacks the counters of endpoint ${endpointId}`);
}

export function batchOutOfOrder(number: number, stored: number): Error {
  return new BatchRefusedError(`batch ${number} does not follow batch ${stored}`);
}
