/** The changes of a batch as statements, a few for however many there are. */
import type { Batch, Change } from "../../batch.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { partOf } from "../claim/parts.ts";
import type { Answer, Statement } from "../connect/session.ts";
import { ChunkWrites } from "./chunk-writes.ts";
import { DeliveryWrites, pruneDeliveries } from "./delivery-writes.ts";
import { deleteJobs } from "./job-writes.ts";
import { PayloadWrites } from "./payload-writes.ts";
import { partOfRecord, RecordWrites } from "./record-writes.ts";
import { pruneReports, ReportWrites } from "./report-writes.ts";

/**
 * Changes that can be made together: within a round each kind is gathered, and what one does to another is known. What deletes
 * by bounds ends a round, for it looks at all that is stored.
 */
export function roundsOf(changes: readonly Change[]): readonly (readonly Change[])[] {
  const rounds: Change[][] = [];
  let isOpen = false;
  for (const made of changes) {
    if (!isOpen) rounds.push([]);
    rounds.at(-1)?.push(made);
    isOpen = made.type !== "prune-deliveries" && made.type !== "prune-reports";
  }
  return rounds;
}

/** @param before the answer to `PayloadWrites.question`. @throws BatchRefusedError */
export function roundStatements(
  changes: readonly Change[],
  before: Answer | undefined,
): readonly Statement[] {
  const payloads = new PayloadWrites(before);
  const chunks = new ChunkWrites();
  const deliveries = new DeliveryWrites();
  const records = new RecordWrites();
  const reports = new ReportWrites();
  const deleted: Job[] = [];
  const pruned: Statement[] = [];
  for (const made of changes) {
    switch (made.type) {
      case "delete-job":
        deleted.push(made.job);
        payloads.make(made);
        chunks.removeAll(made.job.seq);
        break;
      case "put-payload":
      case "remove-payload":
      case "share-payload":
        payloads.make(made);
        break;
      case "append-chunks":
        chunks.append(made.seq, made.batch);
        break;
      case "remove-chunks":
        chunks.removeAll(made.seq);
        break;
      case "put-record":
        records.set(made.kind, made.id, made.record);
        break;
      case "delete-record":
        records.set(made.kind, made.id, undefined);
        break;
      case "insert-delivery": {
        const { delivery, frame } = made;
        const sizeBytes = frame.head.length + frame.tail.length + payloads.sizeOf(delivery.seq);
        deliveries.insert({ ...delivery, sizeBytes }, frame);
        break;
      }
      case "replace-delivery":
        deliveries.replace(made.delivery);
        break;
      case "prune-deliveries":
        pruned.push(pruneDeliveries(made.kept));
        break;
      case "put-report":
        reports.put(made.report);
        break;
      case "remove-reports":
        reports.removeOf(made.endpointId);
        break;
      case "prune-reports":
        pruned.push(pruneReports(made.kept));
    }
  }
  const kinds = [chunks, payloads, deliveries, records, reports];
  return [...deleteJobs(deleted), ...kinds.flatMap((kind) => kind.statements()), ...pruned];
}

/**
 * The parts that a batch names. Payloads and chunks belong to the part of their job, which need not be named: it is one that
 * the owner has, and one owner has all.
 */
export function partsOf({ counts, changes }: Batch): ReadonlySet<number> {
  const parts = new Set([...counts.keys()].map(partOf));
  for (const made of changes) {
    if (made.type === "insert-delivery" || made.type === "replace-delivery")
      parts.add(partOf(made.delivery.endpointId));
    else if (made.type === "put-report") parts.add(partOf(made.report.job.endpointId));
    else if (made.type === "delete-job") parts.add(partOf(made.job.endpointId));
    else if (made.type === "remove-reports") parts.add(partOf(made.endpointId));
    else if (made.type === "put-record" || made.type === "delete-record")
      parts.add(partOfRecord(made.kind, made.id));
  }
  return parts;
}
