/** Encodes a batch as one buffer for the thread of the store. `apply-batch.ts` reads the buffer there. */
import type { JobCounts } from "../../../core/jobs/job-counts.ts";
import type { Batch, Change, JobRow, RareChange } from "../../batch.ts";
import { countsMissing, refuseFixedChange } from "../../batch-refusals.ts";
import type { Payload } from "../../payload.ts";
import { COLUMNS, FIXED_COLUMNS, STATUS_NUMBERS, valuesOf } from "../../rows/job-columns.ts";
import { ValueWriter } from "../values.ts";

/** Numbers of the kinds of changes. They may change, because only two threads of one program exchange them. */
export const CODES = {
  insert: 0,
  update: 1,
  "delete-job": 2,
  "put-payload": 3,
  "remove-payload": 4,
  "share-payload": 5,
  "append-chunks": 6,
  "remove-chunks": 7,
  "put-record": 8,
  "delete-record": 9,
  "insert-delivery": 10,
  "replace-delivery": 11,
  "prune-deliveries": 12,
  "put-report": 13,
  "remove-reports": 14,
  "prune-reports": 15,
} as const;

export const COUNTERS = [
  "inQueue",
  "inProgress",
  "inQueueLowPriority",
  "inProgressLowPriority",
  "completed",
  "failed",
  "retried",
] as const satisfies readonly (keyof JobCounts)[];

/** Estimated sizes, without payloads. */
const ROW_BYTES = 640;
const CHANGE_BYTES = 128;

/** @throws BatchRefusedError when the batch changes jobs of an endpoint without counters, or a field that never changes */
export function encodeBatch(batch: Batch): ArrayBuffer {
  const { jobs, changes, counts } = batch;
  let sizeBytes = ROW_BYTES * (1 + jobs.length);
  for (const made of changes) sizeBytes += sizeOf(made);
  const writer = new ValueWriter(sizeBytes);
  writer.number(batch.number);
  writer.number(batch.lastSeq);
  writer.number(counts.size);
  const endpoints = new Map<string, number>();
  for (const [endpointId, ofEndpoint] of counts) {
    endpoints.set(endpointId, endpoints.size);
    writer.text(endpointId);
    for (const counter of COUNTERS) writer.number(ofEndpoint[counter]);
  }
  writer.number(jobs.length);
  for (const row of jobs) writeJob(writer, row, endpoints.get(row.after.endpointId));
  writer.number(changes.length);
  for (const made of changes) writeChange(writer, made);
  return writer.finish();
}

/** @param endpoint index of the endpoint's counters in the batch */
function writeJob(writer: ValueWriter, row: JobRow, endpoint?: number): void {
  const { before, after } = row;
  if (endpoint === undefined) throw countsMissing(after.endpointId);
  writer.number(endpoint);
  writer.number(before === undefined ? CODES.insert : CODES.update);
  // The thread knows the key of the queue.
  const values = valuesOf(after, 0);
  if (before !== undefined) {
    writer.number(STATUS_NUMBERS[before.status]);
    const isFixedChange = writeChanged(writer, valuesOf(before, 0), values);
    if (isFixedChange || before.endpointId !== after.endpointId) refuseFixedChange(row);
  }
  for (const value of values) writer.value(value);
}

/** Writes the count of changed columns, and then their numbers. Returns true if one of them must never change. */
function writeChanged(
  writer: ValueWriter,
  before: readonly unknown[],
  after: readonly unknown[],
): boolean {
  const place = writer.reserve();
  let count = 0;
  let isFixed = false;
  for (let column = 0; column < COLUMNS.length; column += 1) {
    if (after[column] === before[column]) continue;
    writer.number(column);
    count += 1;
    isFixed ||= FIXED_COLUMNS.has(column);
  }
  writer.fill(place, count);
  return isFixed;
}

function writeChange(writer: ValueWriter, made: Change): void {
  writer.number(CODES[made.type]);
  switch (made.type) {
    case "delete-job":
      writer.number(made.job.seq);
      writer.text(made.job.id);
      writer.number(STATUS_NUMBERS[made.job.status]);
      break;
    case "put-payload":
      writer.number(made.seq);
      writer.text(made.slot);
      writePayload(writer, made.payload);
      break;
    case "remove-payload":
      writer.number(made.seq);
      writer.text(made.slot);
      break;
    case "share-payload":
      writer.number(made.seq);
      writer.text(made.slot);
      writer.number(made.toSeq);
      break;
    case "append-chunks":
      writer.number(made.seq);
      writer.number(made.batch.firstIndex);
      writer.number(made.batch.count);
      writePayload(writer, made.batch.lines);
      break;
    case "remove-chunks":
      writer.number(made.seq);
      break;
    case "put-record":
      writer.text(made.kind);
      writer.text(made.id);
      writer.text(JSON.stringify(made.record));
      break;
    case "delete-record":
      writer.text(made.kind);
      writer.text(made.id);
      break;
    default:
      writer.text(JSON.stringify(contentOf(made)));
  }
}

function contentOf(made: RareChange): unknown {
  switch (made.type) {
    case "insert-delivery":
      return [made.delivery, made.frame];
    case "replace-delivery":
      return made.delivery;
    case "put-report":
      return made.report;
    case "remove-reports":
      return made.endpointId;
    case "prune-deliveries":
    case "prune-reports":
      return made.kept;
  }
}

function writePayload(writer: ValueWriter, payload: Payload): void {
  if (payload.kind === "inline") {
    writer.bytes(payload.bytes);
    return;
  }
  writer.text(payload.name);
  writer.number(payload.offset);
  writer.number(payload.sizeBytes);
  writer.number(payload.checksum);
}

function sizeOf(made: Change): number {
  const payload =
    made.type === "append-chunks" ? made.batch.lines : "payload" in made && made.payload;
  return payload && payload.kind === "inline"
    ? CHANGE_BYTES + payload.bytes.byteLength
    : CHANGE_BYTES;
}
