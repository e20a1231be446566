/** Writes a batch to the tables. Reads it from the buffer that `encode-batch.ts` filled. */
import { crc32 } from "node:zlib";
import type { SQLOutputValue } from "node:sqlite";
import type { JobFrame } from "../../../core/jobs/job-body.ts";
import type { JobReport, KeptReports } from "../../../core/jobs/job-report.ts";
import { NO_COUNTS, type JobCounts } from "../../../core/jobs/job-counts.ts";
import type { Delivery, KeptDeliveries } from "../../../core/webhooks/delivery.ts";
import type { Payload, PayloadSlot } from "../../payload.ts";
import { COLUMNS, statusOf } from "../../rows/job-columns.ts";
import type { Tables } from "../tables/tables.ts";
import { CODES, COUNTERS } from "./encode-batch.ts";
import type { ValueReader } from "../values.ts";

/** Number of the column after `seq`, `id` and `queue`. */
const FIRST_CHANGEABLE = 3;
const ALL_COLUMNS = COLUMNS.map((_, column) => column);

/** Reads the buffer after the numbers of the batch. Throws what the tables throw; after an error nothing may be committed. */
export function applyBatch(tables: Tables, reader: ValueReader): void {
  const queues = readCounts(tables, reader);
  for (let left = reader.number(); left > 0; left -= 1) applyJob(tables, reader, queues);
  for (let left = reader.number(); left > 0; left -= 1) applyChange(tables, reader);
}

/** Returns the keys of the queues in the order of the buffer. */
function readCounts({ queues }: Tables, reader: ValueReader): readonly number[] {
  const keys: number[] = [];
  for (let left = reader.number(); left > 0; left -= 1) {
    const endpointId = reader.text();
    const counts: { -readonly [K in keyof JobCounts]: number } = { ...NO_COUNTS };
    for (const counter of COUNTERS) counts[counter] = reader.number();
    keys.push(queues.ensureKey(endpointId));
    queues.setCounts(endpointId, counts);
  }
  return keys;
}

function applyJob({ jobs }: Tables, reader: ValueReader, queues: readonly number[]): void {
  const queue = queues[reader.number()] ?? 0;
  const isNew = reader.number() === CODES.insert;
  const status = isNew ? undefined : statusOf(reader.number());
  const changed = isNew ? ALL_COLUMNS : readNumbers(reader);
  const start = reader.at;
  const seq = reader.number();
  const id = reader.text();
  reader.replaceNumber(queue);
  const values: SQLOutputValue[] = isNew ? [seq, id, queue] : [];
  let next = values.length;
  for (let column = FIRST_CHANGEABLE; column < COLUMNS.length; column += 1) {
    if (changed[next] !== column) {
      reader.skip();
      continue;
    }
    values.push(reader.value());
    next += 1;
  }
  values.push(crc32(reader.since(start)));
  if (status === undefined) jobs.insert({ seq, id }, values);
  else jobs.update({ seq, id, status }, changed, values);
}

function readNumbers(reader: ValueReader): number[] {
  return Array.from({ length: reader.number() }, () => reader.number());
}

function applyChange(tables: Tables, reader: ValueReader): void {
  const { jobs, payloads, chunks, records } = tables;
  const code = reader.number();
  switch (code) {
    case CODES["delete-job"]: {
      const seq = reader.number();
      jobs.delete({ seq, id: reader.text(), status: statusOf(reader.number()) });
      payloads.removeAll(seq);
      chunks.removeAll(seq);
      break;
    }
    case CODES["put-payload"]:
      payloads.put(reader.number(), readSlot(reader), readPayload(reader));
      break;
    case CODES["remove-payload"]:
      payloads.remove(reader.number(), readSlot(reader));
      break;
    case CODES["share-payload"]:
      payloads.share(reader.number(), readSlot(reader), reader.number());
      break;
    case CODES["append-chunks"]: {
      const [seq, firstIndex, count] = [reader.number(), reader.number(), reader.number()];
      chunks.append(seq, { firstIndex, count, lines: readPayload(reader) });
      break;
    }
    case CODES["remove-chunks"]:
      chunks.removeAll(reader.number());
      break;
    case CODES["put-record"]:
      records.putText(reader.text(), reader.text(), reader.text());
      break;
    case CODES["delete-record"]:
      records.delete(reader.text(), reader.text());
      break;
    default:
      applyRare(tables, code, readJson(reader));
  }
}

function applyRare(tables: Tables, code: number, made: unknown): void {
  const { deliveries, payloads, reports } = tables;
  switch (code) {
    case CODES["insert-delivery"]: {
      const [delivery, frame] = made as [Omit<Delivery, "sizeBytes">, JobFrame];
      const sizeBytes = frame.head.length + frame.tail.length + payloads.sizeOf(delivery.seq);
      deliveries.insert({ ...delivery, sizeBytes }, frame);
      break;
    }
    case CODES["replace-delivery"]:
      deliveries.replace(made as Delivery);
      break;
    case CODES["prune-deliveries"]:
      for (const seq of deliveries.prune(made as KeptDeliveries)) payloads.removeAll(seq);
      break;
    case CODES["put-report"]:
      reports.put(made as JobReport);
      break;
    case CODES["remove-reports"]:
      reports.removeOf(String(made));
      break;
    case CODES["prune-reports"]:
      reports.prune(made as KeptReports);
      break;
    default:
      throw new Error(`a batch has a change of the unknown kind ${code}`);
  }
}

function readPayload(reader: ValueReader): Payload {
  const body = reader.value();
  if (body instanceof Uint8Array) return { kind: "inline", bytes: body };
  const [offset, sizeBytes, checksum] = [reader.number(), reader.number(), reader.number()];
  return { kind: "file", name: String(body), offset, sizeBytes, checksum };
}

function readSlot(reader: ValueReader): PayloadSlot {
  return reader.text() as PayloadSlot;
}

function readJson(reader: ValueReader): unknown {
  return JSON.parse(reader.text());
}
