/** The questions to the thread of the store. It answers them one after another, in order of arrival. */
import { cutBatch } from "../../../../runtime/protocol/chunk-batch.ts";
import type { JobWindow } from "../../../core/jobs/job-filter.ts";
import type { JobListing } from "../../../core/jobs/job-listing.ts";
import type { ReportFilter } from "../../../core/jobs/job-report.ts";
import type { DeliveryFilter } from "../../../core/webhooks/delivery.ts";
import type { BatchWindow, PayloadSlot } from "../../payload.ts";
import { SLICE_MAX_BYTES } from "../../payload-in-hand.ts";
import { noRecords, type RecordKind } from "../../records.ts";
import type { OpenedDatabase } from "../files/data-directory.ts";
import { giveBackPages } from "../free-space.ts";
import { letDatabaseChange, keepDatabase } from "../integrity/data-check.ts";
import { comparedBody, type StoredBatch } from "../../rows/payload-columns.ts";
import { applyBatch } from "./apply-batch.ts";
import type { Tables } from "../tables/tables.ts";
import { ValueReader } from "../values.ts";

type ComparedBatch = ReturnType<typeof comparedBody<StoredBatch>>;

/** Usage is read on demand. */
const BOOTED: readonly RecordKind[] = (Object.keys(noRecords()) as RecordKind[]).filter(
  (kind) => kind !== "usage",
);

export type Answers = ReturnType<typeof answersOf>;

export function answersOf(opened: OpenedDatabase, tables: Tables) {
  const { jobs, jobSearch, payloads, chunks, records, queues, reports } = tables;
  return {
    boot: () => ({
      batch: tables.batch,
      lastSeq: tables.lastSeq,
      counts: queues.allCounts(),
      running: jobs.running(),
      texts: new Map(BOOTED.map((kind) => [kind, records.texts(kind)])),
    }),
    /** Returns the number of the last batch in the database, the duration of the commit, and the files to remove. */
    flush: (batch: ArrayBuffer) => flush(tables, batch),
    job: (id: string) => jobs.byId(id),
    listJobs: (endpointId: string, listing: JobListing) => jobs.listed(endpointId, listing),
    findJobs: (window: JobWindow) => jobSearch.find(window, tables.lastSeq),
    countJobs: (window: JobWindow) => jobSearch.count(window, tables.lastSeq),
    jobsOf: (endpointId: string, after: number, limit: number) =>
      jobs.ofEndpoint(endpointId, after, limit),
    waitingJobs: (endpointId: string, after: number, limit: number) =>
      jobs.waiting(endpointId, limit, after),
    dueJobs: (now: number, limit: number) => jobs.dueAtRest(now, limit),
    nextDueAt: () => jobs.nextDueAtRest(),
    oldestScalingQueuedAt: (endpointId: string) => jobs.oldestScalingQueuedAt(endpointId),
    payload: (seq: number, slot: PayloadSlot) => {
      const stored = payloads.get(seq, slot);
      return stored && comparedBody(stored);
    },
    payloadChecksum: (seq: number, slot: PayloadSlot) => payloads.get(seq, slot)?.checksum,
    chunks: (seq: number, window: BatchWindow) =>
      chunks.around(seq, window).map((stored) => withoutRest(comparedBody(stored), window)),
    hasChunks: (seq: number, checksum: number | undefined) => chunks.has(seq, checksum),
    records: (kind: RecordKind, from: string, limit: number | undefined) =>
      records.texts(kind, from, limit),
    ...deliveryAnswers(tables),
    report: (jobId: string) => reports.byId(jobId),
    listReports: (filter: ReportFilter, limit: number) => reports.list(filter, limit),
    oldestReportAt: () => reports.oldestDeletedAt(),
    /** Files that no row names. */
    unreferred: (names: readonly string[]) => {
      const referred = tables.fileNames();
      return names.filter((name) => !referred.has(name));
    },
    giveBackPages: () => giveBackPages(opened.db),
    keepDatabase: () => keepDatabase(opened.db),
    letDatabaseChange: () => letDatabaseChange(opened.db),
    close: () => opened.close(),
  };
}

function deliveryAnswers({ deliveries }: Tables) {
  return {
    delivery: (id: string) => deliveries.byId(id),
    deliveryFrame: (seq: number) => deliveries.frame(seq),
    listDeliveries: (filter: DeliveryFilter, limit: number, before?: number) =>
      deliveries.list(filter, limit, before),
    dueDeliveries: (now: number, limit: number, exceptOrigins: readonly string[]) =>
      deliveries.due(now, limit, exceptOrigins),
    nextTryAt: (after: number) => deliveries.nextTryAt(after),
    oldestSettledAt: () => deliveries.oldestSettledAt(),
    firstPending: (jobId: string) => deliveries.firstPending(jobId),
  };
}

interface Flushed {
  readonly batch: number;
  readonly commitMs: number;
  readonly dropped: readonly string[];
}

function flush(tables: Tables, batch: ArrayBuffer): Flushed {
  const reader = new ValueReader(batch);
  const [number, lastSeq] = [reader.number(), reader.number()];
  try {
    tables.begin();
    applyBatch(tables, reader);
    const startedAt = performance.now();
    const dropped = tables.commit(number, lastSeq);
    return { batch: tables.batch, commitMs: performance.now() - startedAt, dropped };
  } catch (error) {
    tables.abort();
    throw error;
  }
}

/** Drops chunks of a large row that the reader did not ask for. A slow reader would keep them in memory for a long time. */
function withoutRest(stored: ComparedBatch, window: BatchWindow): ComparedBatch {
  const { body, firstIndex, count } = stored;
  if (!(body instanceof Uint8Array) || body.byteLength <= SLICE_MAX_BYTES) return stored;
  const maxCount = window.from + window.maxCount - Math.max(window.from, firstIndex);
  const cut = cutBatch({ firstIndex, count, lines: body }, { ...window, maxCount });
  if (cut === undefined || cut.count === count) return stored;
  const lines = new Uint8Array(cut.lines);
  // This frees the memory at once. The garbage of this thread is collected late.
  if (body.buffer instanceof ArrayBuffer) body.buffer.transfer(0);
  return {
    ...{ ...stored, firstIndex: cut.firstIndex, count: cut.count },
    ...{ body: lines, sizeBytes: lines.byteLength },
  };
}
