/** The reads and changes of one step. A step is synchronous: all its data is in memory when it begins. */
import { isDeepStrictEqual } from "node:util";
import type { JobCounts } from "../../core/jobs/job-counts.ts";
import type { Undo } from "../../core/undo-journal.ts";
import type { JobFrame } from "../../core/jobs/job-body.ts";
import type { JobReport, KeptReports } from "../../core/jobs/job-report.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Delivery, KeptDeliveries } from "../../core/webhooks/delivery.ts";
import type { Place } from "../../store/batch.ts";
import type { Payload, PayloadSlot, StagedBatch } from "../../store/payload.ts";
import type { RecordKind, Records } from "../../store/records.ts";
import { Effects, type JobPayloads } from "./effects.ts";
import type { EndpointJobs } from "./state/endpoint-jobs.ts";
import type { JobMemory } from "./state/job-memory.ts";
import type { RecordBook } from "./state/record-book.ts";
import {
  ANYWHERE,
  type Place as MemoryPlace,
  placeOfRecord,
  placeOfRecords,
  type StepChange,
} from "./step-changes.ts";

export interface StepState {
  readonly jobs: JobMemory;
  readonly records: RecordBook;
  /** The next ascending key for a job or a place in the queue. Keys are unique across restarts. */
  nextSeq(): number;
}

export class Step {
  /** Maximum time for which its batch gathers further steps, in multiples of the service's `gatherMs`. Default 0: its caller waits. */
  patience = 0;
  readonly effects = new Effects();
  readonly changes: StepChange[] = [];
  /** The places of memory that the step read. */
  readonly looked: MemoryPlace[] = [];
  readonly #state: StepState;
  readonly #batch: number;
  readonly #undos: Undo[];

  /** @param batch number of the step's batch @param undos collects the functions that undo the step */
  constructor(state: StepState, batch: number, undos: Undo[] = []) {
    this.#state = state;
    this.#batch = batch;
    this.#undos = undos;
  }

  /** Registers a function that undoes a change outside the stored state if the step fails or is not stored. */
  onFailure(undo: Undo): void {
    this.#undos.push(undo);
  }

  nextSeq(): number {
    return this.#state.nextSeq();
  }

  /** The job, if it is in memory. */
  job(id: string): Job | undefined {
    this.looked.push(id);
    return this.#state.jobs.find(id);
  }

  counts(endpointId: string): JobCounts {
    return this.#endpoint(endpointId).counts;
  }

  /** The first waiting job of the endpoint in memory that is not on hold. */
  firstWaiting(
    endpointId: string,
    isOnHold: (jobId: string) => boolean = () => false,
  ): Job | undefined {
    return this.#endpoint(endpointId).window.jobs.find(({ id }) => !isOnHold(id));
  }

  /** Whether memory has few waiting jobs of the endpoint, and the store has more. */
  isShortOfWaiting(endpointId: string): boolean {
    this.looked.push(endpointId);
    return this.#state.jobs.isShortOfWaiting(endpointId);
  }

  /** Keeps the payloads of a waiting job for its hand-over, so that they need not be read. */
  keepInput(job: Job, payloads: JobPayloads): void {
    this.#state.jobs.keepInput(job, payloads);
  }

  /** The payloads of a waiting job, if they are in memory. */
  inputOf(job: Job): JobPayloads | undefined {
    this.looked.push(job.id);
    return this.#state.jobs.inputOf(job.id);
  }

  /** Call it in a step that finds nothing to do on an endpoint. @throws ServiceError endpoint_moved */
  refuseMoved(endpointId: string): void {
    this.#state.jobs.refuseMoved(endpointId);
  }

  runningJobs(): readonly Job[] {
    this.looked.push(ANYWHERE);
    return [...this.#state.jobs.running()];
  }

  runningJobsOf(worker: { readonly id: string; readonly endpointId: string }): readonly Job[] {
    const { running } = this.#endpoint(worker.endpointId);
    return [...running.values()].filter(({ workerId }) => workerId === worker.id);
  }

  insertJob(job: Job): void {
    this.#change(job, undefined, job);
  }

  replaceJob(before: Job, after: Job): void {
    this.#change(after, before, after);
  }

  /** Replaces a job in memory only. Its row is not changed until the next change of the job. */
  replaceInMemory(before: Job, after: Job): void {
    this.#state.jobs.change(before, after, undefined);
    this.changes.push({ type: "job-in-memory", job: after });
  }

  /** Deletes the job with all its payloads and chunks. */
  deleteJob(job: Job): void {
    this.#change(job, job, undefined);
  }

  putPayload({ seq, endpointId }: Place, slot: PayloadSlot, payload: Payload): void {
    this.changes.push({ type: "put-payload", seq, endpointId, slot, payload });
  }

  removePayload({ seq, endpointId }: Place, slot: PayloadSlot): void {
    this.changes.push({ type: "remove-payload", seq, endpointId, slot });
  }

  /** Stores the payload, if there is one, under `toSeq` too. The copy stays when the original is deleted. */
  sharePayload({ seq, endpointId }: Place, slot: PayloadSlot, toSeq: number): void {
    this.changes.push({ type: "share-payload", seq, endpointId, slot, toSeq });
  }

  /** `firstIndex` is the number of chunks already there. */
  appendChunks({ seq, endpointId }: Place, batch: StagedBatch): void {
    this.changes.push({ type: "append-chunks", seq, endpointId, batch });
  }

  removeChunks({ seq, endpointId }: Place): void {
    this.changes.push({ type: "remove-chunks", seq, endpointId });
  }

  record<K extends RecordKind>(kind: K, id: string): Records[K] | undefined {
    this.looked.push(placeOfRecord(kind, id));
    return this.#state.records.find(kind, id);
  }

  records<K extends RecordKind>(kind: K): readonly Records[K][] {
    this.looked.push(placeOfRecords(kind));
    return this.#state.records.all(kind);
  }

  /** Putting the same record again changes nothing. */
  putRecord<K extends RecordKind>(kind: K, id: string, record: Records[K]): void {
    if (isDeepStrictEqual(this.record(kind, id), record)) return;
    this.#state.records.put(kind, id, record);
    this.changes.push({ type: "put-record", kind, id, record });
  }

  /** Returns the stored record, which another process may have made, or puts `made`. */
  keepRecord<K extends RecordKind>(kind: K, id: string, made: Records[K]): Records[K] {
    const known = this.record(kind, id);
    if (known === undefined) this.putRecord(kind, id, made);
    return known ?? made;
  }

  deleteRecord(kind: RecordKind, id: string): void {
    this.#state.records.put(kind, id, undefined);
    this.changes.push({ type: "delete-record", kind, id });
  }

  insertDelivery(delivery: Omit<Delivery, "sizeBytes">, frame: JobFrame): void {
    this.changes.push({ type: "insert-delivery", delivery, frame });
  }

  /** @throws ServiceError endpoint_moved */
  replaceDelivery(delivery: Delivery): void {
    this.refuseMoved(delivery.endpointId);
    this.changes.push({ type: "replace-delivery", delivery });
  }

  /** Deletes settled deliveries, the oldest first, until the rest is within the bounds. */
  pruneDeliveries(kept: KeptDeliveries): void {
    this.changes.push({ type: "prune-deliveries", kept });
  }

  /** Keeps the report on a job that the step deletes. */
  putReport(report: JobReport): void {
    this.changes.push({ type: "put-report", report });
  }

  removeReports(endpointId: string): void {
    this.changes.push({ type: "remove-reports", endpointId });
  }

  /** Deletes reports, the oldest first, until the rest is within the bounds. */
  pruneReports(kept: KeptReports): void {
    this.changes.push({ type: "prune-reports", kept });
  }

  #endpoint(endpointId: string): EndpointJobs {
    this.looked.push(endpointId);
    return this.#state.jobs.endpoint(endpointId);
  }

  #change(job: Job, before: Job | undefined, after: Job | undefined): void {
    const row = this.#state.jobs.change(before, after, this.#batch);
    this.changes.push({ type: "job", job, row, after });
  }
}
