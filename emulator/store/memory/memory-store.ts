/** The store for tests and `--ephemeral`. It forgets everything when it is closed. */
import type { Job } from "../../core/jobs/job.ts";
import type { Batch, Change, JobRow } from "../batch.ts";
import {
  batchOutOfOrder,
  chunksOutOfOrder,
  countsMissing,
  jobAlreadyStored,
  jobNotStored,
  payloadNotStaged,
  refuseFixedChange,
} from "../batch-refusals.ts";
import type { Store, Boot } from "../store.ts";
import { Journal, undoAll } from "../../core/undo-journal.ts";
import type { Payload, PayloadDamage, StagedBatch } from "../payload.ts";
import type { RecordKind, Records } from "../records.ts";
import { MemoryReads } from "./memory-reads.ts";
import { MemoryTables } from "./memory-tables.ts";

export function createMemoryStore(): Store {
  return new MemoryStore(new MemoryTables(new Journal()));
}

class MemoryStore extends MemoryReads implements Store {
  #stored = 0;

  boot(): Promise<Boot> {
    return this.bootWith(this.#stored);
  }

  async flush(batch: Batch): Promise<void> {
    const { tables } = this;
    if (batch.number !== this.#stored + 1) throw batchOutOfOrder(batch.number, this.#stored);
    try {
      applyBatch(tables, batch);
    } catch (error) {
      undoAll(tables.journal.undos);
      throw error;
    } finally {
      tables.journal.undos = [];
    }
    this.#stored = batch.number;
    tables.lastSeq = Math.max(tables.lastSeq, batch.lastSeq);
  }

  async stage(parts: readonly Uint8Array[]): Promise<readonly Payload[]> {
    return this.tables && parts.map((bytes) => ({ kind: "inline", bytes }));
  }

  async discard(): Promise<void> {}

  async check(): Promise<readonly PayloadDamage[]> {
    return [];
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

function applyBatch(tables: MemoryTables, { counts, jobs, changes }: Batch): void {
  for (const [endpointId, ofEndpoint] of counts) tables.setCounts(endpointId, ofEndpoint);
  for (const row of jobs) {
    if (!counts.has(row.after.endpointId)) throw countsMissing(row.after.endpointId);
    refuseFixedChange(row);
    applyJob(tables, row);
  }
  for (const made of changes) applyChange(tables, made);
}

function applyJob(tables: MemoryTables, { before, after }: JobRow): void {
  if (before === undefined && (tables.jobs.has(after.seq) || tables.jobsById.has(after.id)))
    throw jobAlreadyStored(after);
  tables.setJob(before && storedJob(tables, before), after);
}

function applyChange(tables: MemoryTables, made: Change): void {
  switch (made.type) {
    case "delete-job":
      tables.setJob(storedJob(tables, made.job), undefined);
      tables.journal.set(tables.bodies, made.job.seq, undefined);
      break;
    case "put-payload":
      tables.journal.set(tables.bodiesOf(made.seq).slots, made.slot, bytesOf(made.payload));
      break;
    case "remove-payload":
      tables.journal.set(tables.bodiesOf(made.seq).slots, made.slot, undefined);
      break;
    case "share-payload": {
      const bytes = tables.bodies.get(made.seq)?.slots.get(made.slot);
      if (bytes) tables.journal.set(tables.bodiesOf(made.toSeq).slots, made.slot, bytes);
      break;
    }
    case "append-chunks":
      appendChunks(tables, made.seq, made.batch);
      break;
    case "remove-chunks":
      tables.clearChunks(tables.bodiesOf(made.seq));
      break;
    case "put-record":
      tables.journal.set(recordsOf(tables, made.kind), made.id, made.record);
      break;
    case "delete-record":
      tables.journal.set(recordsOf(tables, made.kind), made.id, undefined);
      break;
    case "insert-delivery":
      insertDelivery(tables, made);
      break;
    case "replace-delivery":
      tables.deliveries.replace(made.delivery);
      break;
    case "prune-deliveries":
      for (const seq of tables.deliveries.prune(made.kept))
        tables.journal.set(tables.bodies, seq, undefined);
      break;
    case "put-report":
      tables.reports.put(made.report);
      break;
    case "remove-reports":
      tables.reports.removeOf(made.endpointId);
      break;
    case "prune-reports":
      tables.reports.prune(made.kept);
  }
}

function insertDelivery(
  tables: MemoryTables,
  { delivery, frame }: Extract<Change, { readonly type: "insert-delivery" }>,
): void {
  const bodies = [...(tables.bodies.get(delivery.seq)?.slots.values() ?? [])];
  const sizeBytes = bodies.reduce(
    (sum, { byteLength }) => sum + byteLength,
    frame.head.length + frame.tail.length,
  );
  tables.deliveries.insert({ ...delivery, sizeBytes }, frame);
}

function appendChunks(tables: MemoryTables, seq: number, batch: StagedBatch): void {
  const { firstIndex, count, lines } = batch;
  const bodies = tables.bodiesOf(seq);
  const last = bodies.chunks.at(-1);
  const next = last === undefined ? 0 : last.firstIndex + last.count;
  if (next !== firstIndex) throw chunksOutOfOrder(seq, firstIndex);
  tables.addChunks(bodies, { firstIndex, count, lines: bytesOf(lines) });
}

/** Returns the stored job. @throws BatchRefusedError unless the job is stored with that id and status */
function storedJob(tables: MemoryTables, job: Job): Job {
  const stored = tables.jobs.get(job.seq);
  if (stored?.id !== job.id || stored.status !== job.status) throw jobNotStored(job);
  return stored;
}

function recordsOf(tables: MemoryTables, kind: RecordKind): Map<string, Records[RecordKind]> {
  return tables.records[kind];
}

/** Copies the bytes, because the caller's bytes may be part of a larger buffer, or be reused. */
function bytesOf(payload: Payload): Uint8Array {
  if (payload.kind === "file") throw payloadNotStaged(payload.name);
  return new Uint8Array(payload.bytes);
}
