/** What an owner has to know before anything else, as of one moment, and records. */
import type { JobCounts } from "../../../core/jobs/job-counts.ts";
import { textAt } from "../../../sqlite/row.ts";
import type { RecordKind } from "../../records.ts";
import { noRecords } from "../../records.ts";
import { checkedRow } from "../../rows/checked-row.ts";
import { type Queue, readQueue, SELECTED } from "../../rows/queue-columns.ts";
import type { Boot } from "../../store.ts";
import type { Session } from "../connect/session.ts";
import { rowReader } from "../values/columns.ts";
import { readProgress } from "../writes/progress.ts";
import { QUEUE } from "../writes/queues.ts";
import { RECORD } from "../writes/record-writes.ts";
import type { JobReads } from "./job-reads.ts";

const readRecordRow = rowReader(RECORD);
const readQueueRow = rowReader(QUEUE);

export async function readQueues(session: Session): Promise<readonly Queue[]> {
  const { rows } = await session.ask({ text: `SELECT ${SELECTED} FROM queue` });
  return rows.map((row) => readQueue(readQueueRow(row)));
}

/** Id and JSON of all records of a kind, in order of id. */
export async function recordTexts(
  session: Session,
  kind: RecordKind,
  from = "",
): Promise<readonly (readonly [id: string, json: string])[]> {
  const { rows } = await session.ask({
    name: "records",
    text: "SELECT kind, id, json, checksum FROM record WHERE kind = $1 AND id >= $2 ORDER BY id",
    values: [kind, Buffer.from(from)],
  });
  return rows.map((answered) => {
    const row = checkedRow(readRecordRow(answered), "record");
    return [textAt(row, 1), textAt(row, 2)];
  });
}

export async function readBoot(session: Session, jobs: JobReads): Promise<Boot> {
  const { usage: _, ...records } = noRecords();
  await session.ask({ text: "BEGIN ISOLATION LEVEL REPEATABLE READ" });
  const progress = await readProgress(session);
  const counts = new Map<string, JobCounts>();
  for (const queue of await readQueues(session)) counts.set(queue.endpointId, queue.counts);
  const running = await jobs.running(session);
  for (const kind of Object.keys(records) as (keyof typeof records)[]) {
    const byId: Map<string, unknown> = records[kind];
    for (const [id, json] of await recordTexts(session, kind)) byId.set(id, JSON.parse(json));
  }
  await session.ask({ text: "COMMIT" });
  return { ...progress, counts, running, records, recordsVersion: 0 };
}
