/** Records kept whole, as JSON by kind and id. */
import type { StatementSync } from "node:sqlite";
import type { RecordKind, Records } from "../../records.ts";
import { rowChecksum } from "../../rows/checksum.ts";
import type { Connection } from "../connection.ts";
import { damaged, type Row, textAt } from "../../../sqlite/row.ts";
import { checkedRow } from "../../rows/checked-row.ts";

export class RecordTable {
  readonly #connection: Connection;
  readonly #upsert: StatementSync;
  readonly #delete: StatementSync;
  readonly #select: StatementSync;
  readonly #selectKind: StatementSync;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#upsert = connection.prepare("INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?)");
    this.#delete = connection.prepare("DELETE FROM record WHERE kind = ? AND id = ?");
    const select = "SELECT kind, id, json, checksum FROM record WHERE kind = ?";
    this.#select = connection.prepare(`${select} AND id = ?`);
    this.#selectKind = connection.prepare(`${select} AND id >= ? ORDER BY id LIMIT ?`);
  }

  get<K extends RecordKind>(kind: K, id: string): Records[K] | undefined {
    const row = this.#connection.first(this.#select, kind, id);
    return row && (parse(row) as Records[K]);
  }

  list<K extends RecordKind>(kind: K): readonly Records[K][] {
    return this.texts(kind).map(([, json]) => JSON.parse(json) as Records[K]);
  }

  /** Writes nothing if the record is stored as it is: a start whose settings are those of the last one needs no room. */
  put<K extends RecordKind>(kind: K, id: string, record: Records[K]): void {
    this.putText(kind, id, JSON.stringify(record));
  }

  /** The same of a record's JSON. */
  putText(kind: string, id: string, json: string): void {
    const values = [kind, id, json];
    const row = [...values, rowChecksum(values)];
    const stored = this.#connection.first(this.#select, kind, id);
    if (stored !== undefined && row.every((value, at) => stored[at] === value)) return;
    this.#connection.write(this.#upsert, ...row);
  }

  /** Id and JSON of records of a kind with an id of at least `from`, in order of id; by default of all. */
  texts(kind: RecordKind, from = "", limit = -1): readonly (readonly [id: string, json: string])[] {
    return this.#connection.all(this.#selectKind, kind, from, limit).map((row) => {
      checkedRow(row, "record");
      return [textAt(row, 1), textAt(row, 2)];
    });
  }

  delete(kind: string, id: string): void {
    this.#connection.write(this.#delete, kind, id);
  }
}

/** What `put` wrote under the same kind; whether its fields are those of this version is for migrations to see to. */
function parse(row: Row): object {
  const record: unknown = JSON.parse(textAt(checkedRow(row, "record"), 2));
  if (typeof record !== "object" || record === null) throw damaged("a record", record);
  return record;
}
