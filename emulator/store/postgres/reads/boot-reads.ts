/**
 * Reads records, and the data that an owner needs at its start or for gained partitions. Each read is a snapshot of one moment.
 */
import type { JobCounts } from "../../../core/jobs/job-counts.ts";
import { textAt } from "../../../sqlite/row.ts";
import { parsedRecords, type RecordKind } from "../../records.ts";
import type { Queue } from "../../rows/queue-columns.ts";
import type { Boot } from "../../store.ts";
import { ALL_PARTITIONS } from "../claim/partitions.ts";
import type { Session } from "../connect/session.ts";
import { rowReader } from "../values/columns.ts";
import { highestSeq, readProgress } from "../writes/progress.ts";
import { type Queues, readQueues } from "../writes/queues.ts";
import { RECORD } from "../writes/record-writes.ts";
import { recordsVersion } from "./changed-records.ts";
import { readRunning } from "./job-reads.ts";

const readRecordRow = rowReader(RECORD);

/** Reads the id and JSON of the records of a kind, in order of id. @param from first id; default: all records */
export async function recordTexts(
  session: Session,
  kind: RecordKind,
  from = "",
  limit?: number,
): Promise<readonly (readonly [id: string, json: string])[]> {
  const { rows } = await session.ask({
    name: "records",
    text: "SELECT kind, id, json FROM record WHERE kind = $1 AND id >= $2 ORDER BY id LIMIT $3::bigint",
    values: [kind, Buffer.from(from), limit],
  });
  return rows.map((answered) => {
    const row = readRecordRow(answered);
    return [textAt(row, 1), textAt(row, 2)];
  });
}

/** @param slot slot of the line of batches; @param partitions default: all partitions */
export async function readBoot(
  session: Session,
  queues: Queues,
  slot: number,
  partitions = ALL_PARTITIONS,
): Promise<Boot> {
  await session.ask({ text: "BEGIN ISOLATION LEVEL REPEATABLE READ" });
  const { batch } = await readProgress(session, slot);
  const lastSeq = await highestSeq(session);
  const counts = countsOf(await readQueues(session, partitions));
  const running = await readRunning(session, queues, partitions);
  const records = await parsedRecords((kind) => recordTexts(session, kind));
  const version = await recordsVersion(session);
  await session.ask({ text: "COMMIT" });
  return { batch, lastSeq, counts, running, records, recordsVersion: version };
}

/** Reads the data of partitions that this process has gained. */
export async function readGain(
  session: Session,
  queues: Queues,
  partitions: readonly number[],
): Promise<Pick<Boot, "counts" | "running" | "lastSeq">> {
  await session.ask({ text: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" });
  const lastSeq = await highestSeq(session);
  const stored = await readQueues(session, partitions);
  queues.forget(new Set(partitions));
  queues.add(stored);
  const running = await readRunning(session, queues, partitions);
  await session.ask({ text: "COMMIT" });
  return { counts: countsOf(stored), running, lastSeq };
}

function countsOf(queues: readonly Queue[]): ReadonlyMap<string, JobCounts> {
  return new Map(queues.map(({ endpointId, counts }) => [endpointId, counts]));
}
