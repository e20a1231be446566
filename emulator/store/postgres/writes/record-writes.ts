/** The statements that store records. */
import type { RecordKind, Records } from "../../records.ts";
import { rowChecksum } from "../../rows/checksum.ts";
import { partOf, SERVICE_PART } from "../claim/parts.ts";
import type { Statement } from "../connect/session.ts";
import { arraysOf, type Columns, namesOf, unnested, type Sent } from "../values/columns.ts";

export const RECORD = {
  kind: "json",
  id: "text",
  json: "json",
  checksum: "integer",
} as const satisfies Columns;

const STORED = { ...RECORD, part: "integer" } as const satisfies Columns;
const KEY = { kind: "json", id: "text" } as const satisfies Columns;

/** Writes nothing where a record is stored as it is. */
const PUT = `INSERT INTO record (${namesOf(STORED)}) SELECT * FROM ${unnested(STORED)}
  ON CONFLICT (kind, id) DO UPDATE SET json = excluded.json, checksum = excluded.checksum, version = record.version + 1
    WHERE record.checksum <> excluded.checksum OR record.json <> excluded.json`;
const DELETE = `DELETE FROM record USING ${unnested(KEY)} AS u (kind, id) WHERE record.kind = u.kind AND record.id = u.id`;

/** Those whose id is that of an endpoint. */
const OF_ENDPOINTS: readonly RecordKind[] = ["endpoint", "served"];

export function partOfRecord(kind: RecordKind, id: string): number {
  return OF_ENDPOINTS.includes(kind) ? partOf(id) : SERVICE_PART;
}

export class RecordWrites {
  /** What becomes of each, by its kind and id. */
  readonly #rows = new Map<
    string,
    { readonly key: readonly [RecordKind, string]; readonly json: string | undefined }
  >();

  /** Undefined deletes it. */
  set(kind: RecordKind, id: string, record: Records[RecordKind] | undefined): void {
    const json = record === undefined ? undefined : JSON.stringify(record);
    this.#rows.set(`${kind} ${id}`, { key: [kind, id], json });
  }

  statements(): readonly Statement[] {
    const put: Sent[][] = [];
    const deleted: Sent[][] = [];
    for (const { key, json } of this.#rows.values()) {
      if (json === undefined) deleted.push([...key]);
      else put.push([...key, json, rowChecksum([...key, json]), partOfRecord(...key)]);
    }
    const statements: Statement[] = [];
    if (deleted.length > 0)
      statements.push({ name: "delete-records", text: DELETE, values: arraysOf(KEY, deleted) });
    if (put.length > 0)
      statements.push({ name: "put-records", text: PUT, values: arraysOf(STORED, put) });
    return statements;
  }
}
