/** Turns the changes of a batch into a few statements, however many changes there are. */
import type { Batch, Change, RareChange } from "../../batch.ts";
import type { Usage } from "../../../core/billing/usage.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { partitionOf, SERVICE_PARTITION } from "../claim/partitions.ts";
import type { Answer, Statement } from "../connect/session.ts";
import { ChunkWrites } from "./chunk-writes.ts";
import { DeliveryWrites, pruneDeliveries } from "./delivery-writes.ts";
import { deleteJobs } from "./job-writes.ts";
import { PayloadWrites } from "./payload-writes.ts";
import { partitionOfUsage, RecordWrites } from "./record-writes.ts";
import { pruneReports, ReportWrites } from "./report-writes.ts";

/**
 * Groups changes that are stored together. A group gathers changes by kind, and combines changes of the same thing. A deletion by
 * bounds ends a group, because it depends on all stored rows.
 */
export function changeGroups(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups: Change[][] = [];
  let isOpen = false;
  for (const made of changes) {
    if (!isOpen) groups.push([]);
    groups.at(-1)?.push(made);
    isOpen = made.type !== "prune-deliveries" && made.type !== "prune-reports";
  }
  return groups;
}

/** @param before answer to `PayloadWrites.question`. @throws BatchRefusedError */
export function groupStatements(
  changes: readonly Change[],
  before: Answer | undefined,
): readonly Statement[] {
  const group = new ChangeGroup(before);
  for (const made of changes) group.make(made);
  return group.statements();
}

class ChangeGroup {
  readonly #payloads: PayloadWrites;
  readonly #chunks = new ChunkWrites();
  readonly #deliveries = new DeliveryWrites();
  readonly #records = new RecordWrites();
  readonly #reports = new ReportWrites();
  readonly #deleted: Job[] = [];
  readonly #pruned: Statement[] = [];

  constructor(before: Answer | undefined) {
    this.#payloads = new PayloadWrites(before);
  }

  make(made: Change): void {
    switch (made.type) {
      case "delete-job":
        this.#deleted.push(made.job);
        this.#payloads.make(made);
        this.#chunks.removeAll(made.job.seq);
        break;
      case "put-payload":
      case "remove-payload":
      case "share-payload":
        this.#payloads.make(made);
        break;
      case "append-chunks":
        this.#chunks.append(made.seq, made.batch);
        break;
      case "remove-chunks":
        this.#chunks.removeAll(made.seq);
        break;
      case "put-record":
        this.#records.set(made.kind, made.id, made.record);
        break;
      case "delete-record":
        this.#records.set(made.kind, made.id, undefined);
        break;
      default:
        this.#makeRare(made);
    }
  }

  statements(): readonly Statement[] {
    const kinds = [this.#chunks, this.#payloads, this.#deliveries, this.#records, this.#reports];
    return [
      ...deleteJobs(this.#deleted),
      ...kinds.flatMap((kind) => kind.statements()),
      ...this.#pruned,
    ];
  }

  #makeRare(made: RareChange): void {
    switch (made.type) {
      case "insert-delivery": {
        const { delivery, frame } = made;
        const payloadBytes = this.#payloads.sizeOf(delivery.seq);
        const sizeBytes = frame.head.length + frame.tail.length + payloadBytes;
        this.#deliveries.insert({ ...delivery, sizeBytes }, frame);
        break;
      }
      case "replace-delivery":
        this.#deliveries.replace(made.delivery);
        break;
      case "prune-deliveries":
        this.#pruned.push(pruneDeliveries(made.kept));
        break;
      case "put-report":
        this.#reports.put(made.report);
        break;
      case "remove-reports":
        this.#reports.removeOf(made.endpointId);
        break;
      case "prune-reports":
        this.#pruned.push(pruneReports(made.kept));
    }
  }
}

/** Returns the partitions of the data that a batch changes. Records other than usage belong to no partition. */
export function partitionsOf({ counts, changes }: Batch): ReadonlySet<number> {
  const endpointIds = new Set(counts.keys());
  const partitions = new Set<number>();
  for (const made of changes) {
    if ("endpointId" in made) endpointIds.add(made.endpointId);
    else if ("delivery" in made) endpointIds.add(made.delivery.endpointId);
    else if ("report" in made) endpointIds.add(made.report.job.endpointId);
    else if ("job" in made) endpointIds.add(made.job.endpointId);
    else if (made.type === "put-record") {
      if (made.kind === "usage") partitions.add(partitionOfUsage(made.record as Usage));
    } else if (made.type === "delete-record") {
      if (made.kind === "usage") partitions.add(partitionOfUsage(undefined));
    } else partitions.add(SERVICE_PARTITION);
  }
  for (const endpointId of endpointIds) partitions.add(partitionOf(endpointId));
  return partitions;
}
