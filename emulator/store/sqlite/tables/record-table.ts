/** Whole records as JSON, by kind and id. */
import type { StatementSync } from "node:sqlite";
import type { RecordKind } from "../../records.ts";
import type { Connection } from "../connection.ts";
import { textAt } from "../../../sqlite/row.ts";
import { checkedRow, withChecksum } from "../row-checksum.ts";

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

  /** Writes nothing if the same JSON is stored, so that a start with unchanged settings needs no room. */
  putText(kind: string, id: string, json: string): void {
    const row = withChecksum([kind, id, json]);
    const stored = this.#connection.first(this.#select, kind, id);
    if (stored !== undefined && row.every((value, at) => stored[at] === value)) return;
    this.#connection.write(this.#upsert, ...row);
  }

  /** Returns id and JSON of the records of a kind, in order of id. @param from first id; default: all records */
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
