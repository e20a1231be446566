/** Copies rows of a damaged database into a new one, if they are readable and match their checksums. */
import type { DatabaseSync } from "node:sqlite";
import { CHECKED_TABLES } from "../integrity/checked-tables.ts";
import { PLACES_PER_JOB, slotAt } from "../../rows/payload-columns.ts";
import { type Row, rowsOf, textAt } from "../../../sqlite/row.ts";
import { fits } from "../row-checksum.ts";
import { TableWalk } from "./readable-rows.ts";

export interface Rebuilt {
  readonly kept: ReadonlyMap<string, number>;
  /** Sentences about rows that were not kept. */
  readonly setAside: readonly string[];
  /** Keys of jobs with a damaged output. */
  readonly outputsLost: ReadonlySet<number>;
  /** Whether other outputs may also be lost. */
  readonly outputsInDoubt: boolean;
}

/** Order of copying. A row is kept only with the rows that it belongs to. */
const TABLES = ["record", "queue", "job", "delivery", "payload", "chunk_batch", "report"] as const;
/** More records than a store can have. */
const MAX_RECORDS = 1_000_000;

type Table = (typeof TABLES)[number];

/** Copies within one transaction of the new database `to`. Only reads `from`. */
export function copyGoodRows(from: DatabaseSync, to: DatabaseSync): Rebuilt {
  return new Copy(from, to).run();
}

class Copy {
  readonly #from: DatabaseSync;
  readonly #to: DatabaseSync;
  readonly #kept = new Map<string, number>();
  readonly #setAside: string[] = [];
  readonly #endpoints = new Set<unknown>();
  readonly #queues = new Set<unknown>();
  /** Keys of the kept jobs and deliveries. */
  readonly #owners = new Set<unknown>();
  readonly #outputsLost = new Set<number>();
  #outputsInDoubt = false;

  constructor(from: DatabaseSync, to: DatabaseSync) {
    this.#from = from;
    this.#to = to;
  }

  run(): Rebuilt {
    for (const table of TABLES) this.#copy(table);
    return {
      kept: this.#kept,
      setAside: this.#setAside,
      outputsLost: this.#outputsLost,
      outputsInDoubt: this.#outputsInDoubt,
    };
  }

  #copy(table: Table): void {
    const columns = [...rowsOf(this.#to, `PRAGMA table_info(${table})`)].map((row) =>
      textAt(row, 1),
    );
    const insert = this.#to.prepare(
      `INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    );
    const checks = CHECKED_TABLES.filter(({ name }) => name === table).map(
      ({ checked }) => checked,
    );
    let [kept, damaged, alone] = [0, 0, 0];
    // The values that the checksums cover follow the columns.
    const walk = new TableWalk(this.#from, table, [...columns, ...checks.flat()], (row) => {
      let from = columns.length;
      const isSound = checks.every(({ length }) => fits(row.slice(from, (from += length))));
      if (!isSound && !this.#isKnownQueue(table, row)) {
        damaged += 1;
        this.#noteDamaged(table, row);
      } else if (!this.#hasItsOwner(table, row)) alone += 1;
      else {
        kept += Number(insert.run(...row.slice(0, columns.length)).changes);
        this.#noteKept(table, row);
      }
    });
    if (table === "record") walk.rows(MAX_RECORDS);
    else walk.rowsByKey();
    this.#kept.set(table, kept);
    if (damaged > 0) this.#setAside.push(`${table}: ${damaged} damaged rows`);
    if (alone > 0) this.#setAside.push(`${table}: ${alone} rows that belong to lost rows`);
    if (!walk.hasLost) return;
    this.#setAside.push(`${table}: an unknown number of unreadable rows`);
    if (table === "payload") this.#outputsInDoubt = true;
  }

  /** Whether the row is the queue of a known endpoint. It is kept even if damaged, because its counters are counted again. */
  #isKnownQueue(table: Table, row: Row): boolean {
    return table === "queue" && this.#endpoints.has(row[1]);
  }

  #hasItsOwner(table: Table, row: Row): boolean {
    if (table === "job") return this.#queues.has(row[2]);
    if (table === "payload") return this.#owners.has(Math.floor(Number(row[0]) / PLACES_PER_JOB));
    return table !== "chunk_batch" || this.#owners.has(row[0]);
  }

  #noteKept(table: Table, row: Row): void {
    if (table === "record" && row[0] === "endpoint") this.#endpoints.add(row[1]);
    if (table === "queue") this.#queues.add(row[0]);
    if (table === "job" || table === "delivery") this.#owners.add(row[0]);
  }

  #noteDamaged(table: Table, row: Row): void {
    if (table !== "payload") return;
    const place = Number(row[0]);
    if (slotAt(place) === "output") this.#outputsLost.add(Math.floor(place / PLACES_PER_JOB));
    this.#outputsInDoubt = true;
  }
}
