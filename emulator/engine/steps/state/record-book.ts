/** Records that are completely in memory, in two states: as steps have left them, and as they are in the store. */
import { isDeepStrictEqual } from "node:util";
import type { Batch } from "../../../store/batch.ts";
import type { ChangedRecords } from "../../../store/ownership.ts";
import { noRecords, type RecordKind, type Records } from "../../../store/records.ts";
import type { Boot } from "../../../store/store.ts";
import type { Journal } from "../../../core/undo-journal.ts";

export interface RecordView {
  find<K extends RecordKind>(kind: K, id: string): Records[K] | undefined;
  /** Oldest first. */
  all<K extends RecordKind>(kind: K): readonly Records[K][];
  inOrder<K extends RecordKind>(kind: K): readonly Records[K][];
}

/** A record that another process made, changed or deleted. Undefined stands for a record that does not exist. */
export interface RecordChange {
  readonly kind: RecordKind;
  readonly id: string;
  readonly before: Records[RecordKind] | undefined;
  readonly after: Records[RecordKind] | undefined;
}

type Stored = ReadonlyMap<string, Records[RecordKind]>;

export class RecordBook {
  readonly #journal: Journal;
  readonly #newest: RecordMaps;
  readonly #stored: RecordMaps;
  #version: number;

  /** @param stored the records in the store at the start, at `version` */
  constructor(journal: Journal, stored: Partial<Boot["records"]> = {}, version = 0) {
    this.#journal = journal;
    this.#version = version;
    this.#newest = new RecordMaps(stored);
    this.#stored = new RecordMaps(stored);
  }

  /** The records in the store. Steps may have changed them since. */
  get stored(): RecordView {
    return this.#stored;
  }

  get version(): number {
    return this.#version;
  }

  find<K extends RecordKind>(kind: K, id: string): Records[K] | undefined {
    return this.#newest.find(kind, id);
  }

  /** In the order of ids. */
  all<K extends RecordKind>(kind: K): readonly Records[K][] {
    return this.#newest.inOrder(kind);
  }

  /** Undefined deletes the record. */
  put<K extends RecordKind>(kind: K, id: string, record: Records[K] | undefined): void {
    const before = this.#newest.find(kind, id);
    this.#newest.put(kind, id, record);
    this.#journal.undos.push(() => this.#newest.put(kind, id, before));
  }

  /** Call it when a batch with changes of records is in the store. */
  becameDurable(changes: Batch["changes"]): void {
    for (const change of changes) {
      if (change.type === "put-record") this.#stored.put(change.kind, change.id, change.record);
      else if (change.type === "delete-record") this.#stored.put(change.kind, change.id, undefined);
    }
    this.#version += 1;
  }

  /**
   * Takes in the changes of other processes, while no step with changed records waits to be stored. Returns the changed
   * records.
   */
  learn({ version, records }: ChangedRecords): readonly RecordChange[] {
    this.#version = version;
    return records.flatMap(({ kind, id, record: after }) => {
      // A record of a newer version may have fields that this version does not know.
      if (!this.#stored.knows(kind)) return [];
      const before = this.#stored.find(kind, id);
      if (isDeepStrictEqual(before, after)) return [];
      this.#stored.put(kind, id, after);
      this.#newest.put(kind, id, after);
      return [{ kind, id, before, after }];
    });
  }
}

class RecordMaps implements RecordView {
  readonly #kinds = noRecords();

  constructor(stored: Partial<Boot["records"]>) {
    for (const [kind, records] of Object.entries(stored) as [RecordKind, Stored][]) {
      for (const [id, record] of records) this.put(kind, id, record);
    }
    // Endpoints that were stored before types existed have none.
    for (const [id, endpoint] of this.#kinds.endpoint)
      this.put("endpoint", id, { ...endpoint, type: endpoint.type ?? "QUEUE" });
  }

  knows(kind: string): boolean {
    return Object.hasOwn(this.#kinds, kind);
  }

  find<K extends RecordKind>(kind: K, id: string): Records[K] | undefined {
    return this.#kinds[kind].get(id);
  }

  all<K extends RecordKind>(kind: K): readonly Records[K][] {
    return [...this.#kinds[kind].values()];
  }

  inOrder<K extends RecordKind>(kind: K): readonly Records[K][] {
    const records: ReadonlyMap<string, Records[K]> = this.#kinds[kind];
    return [...records].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record);
  }

  put<K extends RecordKind>(kind: K, id: string, record: Records[K] | undefined): void {
    // Usage records are numerous, and no step reads them.
    if (kind === "usage") return;
    const records: Map<string, Records[K]> = this.#kinds[kind];
    if (record === undefined) records.delete(id);
    else records.set(id, record);
  }
}
