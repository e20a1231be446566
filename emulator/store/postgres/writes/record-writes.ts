/** The statements that store records. */
import type { Usage } from "../../../core/billing/usage.ts";
import type { Batch } from "../../batch.ts";
import type { RecordKind, Records } from "../../records.ts";
import { type Columns, namesOf } from "../../rows/columns.ts";
import { partitionOf, SERVICE_PARTITION } from "../claim/partitions.ts";
import type { Statement } from "../connect/session.ts";
import { bound, type Sent, unnested } from "../values/columns.ts";
import { RECORDS_MOVED } from "./refusals.ts";
import { rowStatement } from "./row-statement.ts";

const KEY = { kind: "json", id: "text" } as const satisfies Columns;
export const RECORD = { ...KEY, json: "json" } as const satisfies Columns;

/** The version after this batch. It is increased before records are written. */
const VERSION = "(SELECT version FROM records_line)";
const ROWS = `${unnested(RECORD)} AS u (${namesOf(RECORD)})`;
/** Writes nothing if the same record is stored. */
const PUT = `WITH back AS (DELETE FROM removed_record r USING ${ROWS} WHERE r.kind = u.kind AND r.id = u.id)
  INSERT INTO record (${namesOf(RECORD)}, version)
    SELECT u.*, CASE WHEN u.kind = 'usage' THEN 0 ELSE ${VERSION} END FROM ${ROWS}
  ON CONFLICT (kind, id) DO UPDATE SET json = excluded.json, version = excluded.version
    WHERE record.json <> excluded.json`;
const DELETE = `WITH gone AS (
    DELETE FROM record USING ${unnested(KEY)} AS u (kind, id) WHERE record.kind = u.kind AND record.id = u.id
      RETURNING record.kind, record.id)
  INSERT INTO removed_record (kind, id, version, removed_at)
    SELECT kind, id, ${VERSION}, (SELECT highest FROM service_clock) FROM gone WHERE kind <> 'usage'
  ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, removed_at = excluded.removed_at`;
const ADVANCE = `WITH done AS (
    UPDATE records_line SET version = version + 1 WHERE version = coalesce($1, version) RETURNING 1)
  SELECT refuse('${RECORDS_MOVED}') FROM done HAVING count(*) <> 1`;

/**
 * Increases the version of the records if a batch changes records that any replica may change. A batch of an only replica is not
 * based on a version.
 */
export function advanceRecords(batch: Batch): readonly Statement[] {
  if (!changesRecords(batch)) return [];
  const values = [batch.recordsVersion === undefined ? null : bound(batch.recordsVersion)];
  return [{ name: "advance-records", text: ADVANCE, values }];
}

export function changesRecords({ recordsVersion, changes }: Batch): boolean {
  return (
    recordsVersion !== undefined ||
    changes.some(
      (made) =>
        (made.type === "put-record" || made.type === "delete-record") && made.kind !== "usage",
    )
  );
}

/** Returns the partition of the worker's endpoint. Deleted usage belongs to the service's partition. */
export function partitionOfUsage(usage: Usage | undefined): number {
  const endpointId = usage !== undefined && "endpointId" in usage ? usage.endpointId : undefined;
  return endpointId === undefined ? SERVICE_PARTITION : partitionOf(endpointId);
}

export class RecordWrites {
  /** New content of each record, by its kind and id. */
  readonly #rows = new Map<
    string,
    { readonly key: readonly [RecordKind, string]; readonly json: string | undefined }
  >();

  /** @param record undefined deletes the record */
  set(kind: RecordKind, id: string, record: Records[RecordKind] | undefined): void {
    const json = record === undefined ? undefined : JSON.stringify(record);
    this.#rows.set(`${kind} ${id}`, { key: [kind, id], json });
  }

  statements(): readonly Statement[] {
    const put: Sent[][] = [];
    const deleted: Sent[][] = [];
    for (const { key, json } of this.#rows.values()) {
      if (json === undefined) deleted.push([...key]);
      else put.push([...key, json]);
    }
    return [
      ...rowStatement("delete-records", DELETE, KEY, deleted),
      ...rowStatement("put-records", PUT, RECORD, put),
    ];
  }
}
