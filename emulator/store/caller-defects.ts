/** Refuses calls that can only come from a defect of the caller, in the same words in every adapter. */
import type { Job } from "../core/jobs/job.ts";

export function jobNotStored(job: Job): Error {
  return new Error(`job ${job.id} is not stored with seq ${job.seq} and status ${job.status}`);
}

export function jobAlreadyStored(job: Job): Error {
  return new Error(`a job with id ${job.id} or seq ${job.seq} is already stored`);
}

export function chunksOutOfOrder(seq: number, firstIndex: number): Error {
  return new Error(`chunk ${firstIndex} of job ${seq} is not the next one`);
}

export function stepIsOver(): Error {
  return new Error("the transaction was used after its step had ended");
}

export function payloadNotStaged(name: string): Error {
  return new Error(`payload file ${name} was not staged by this store or is already taken`);
}

export function deliveryNotStored(id: string): Error {
  return new Error(`delivery ${id} is not stored`);
}
