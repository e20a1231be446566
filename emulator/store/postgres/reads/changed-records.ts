/** Changes of records since a version. */
import { bytesToText } from "../values/stored-text.ts";
import { textAt } from "../../../sqlite/row.ts";
import type { ChangedRecords } from "../../ownership.ts";
import type { RecordKind, Records } from "../../records.ts";
import type { Session } from "../connect/session.ts";
import { bound, rowReader } from "../values/columns.ts";
import { RECORD } from "../writes/record-writes.ts";

const readRecord = rowReader(RECORD);

export const RECORDS_VERSION = "SELECT version FROM records_line";

export async function recordsVersion(session: Session): Promise<number> {
  const { rows } = await session.ask({ name: "records-version", text: RECORDS_VERSION });
  return Number(rows[0]?.[0]);
}

/** Reads the changes after the version `since`, in a snapshot of one moment. */
export async function changedSince(session: Session, since: number): Promise<ChangedRecords> {
  const values = [bound(since)];
  const [, line, put, removed] = await session.askAll([
    { text: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" },
    { text: RECORDS_VERSION },
    {
      text: "SELECT kind, id, json FROM record WHERE version > $1 AND kind <> 'usage'",
      values,
    },
    { text: "SELECT kind, id FROM removed_record WHERE version > $1", values },
    { text: "COMMIT" },
  ]);
  const there = (put?.rows ?? []).map((answered) => {
    const row = readRecord(answered);
    const record = JSON.parse(textAt(row, 2)) as Records[RecordKind];
    return { kind: textAt(row, 0) as RecordKind, id: textAt(row, 1), record };
  });
  const gone = (removed?.rows ?? []).map(([kind, id]) => ({
    kind: String(kind) as RecordKind,
    id: id instanceof Buffer ? bytesToText(id) : String(id),
    record: undefined,
  }));
  return { version: Number(line?.rows[0]?.[0]), records: [...there, ...gone] };
}
