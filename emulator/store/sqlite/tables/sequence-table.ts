/**
 * Gives ascending keys, and counts the commits. The database holds a bound no key has passed, moved up once in a thousand
 * keys, and the number of the last commit, which every commit writes.
 */
import type { StatementSync } from "node:sqlite";
import type { Connection } from "../connection.ts";
import { rowChecksum } from "../integrity/checksum.ts";
import { integerAt } from "../../../sqlite/row.ts";
import { checkedRow } from "../integrity/checked-row.ts";

const KEYS_PER_RESERVATION = 1_000;

export class SequenceTable {
  readonly #connection: Connection;
  readonly #update: StatementSync;
  /** Never taken back: a key that a failed step was given stays unused. */
  #last: number;
  #reserved: number;
  #storedReserved: number;
  #commits: number;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#update = connection.prepare(
      "UPDATE sequence SET reserved_seq = ?, commit_number = ?, checksum = ?",
    );
    const row = connection.first(
      connection.prepare("SELECT reserved_seq, commit_number, checksum FROM sequence"),
    );
    const stored = checkedRow(row ?? [], "sequence");
    this.#reserved = integerAt(stored, 0);
    this.#storedReserved = this.#reserved;
    this.#commits = integerAt(stored, 1);
    this.#last = this.#reserved;
  }

  /** The number of the last commit. */
  get commits(): number {
    return this.#commits;
  }

  next(): number {
    this.#last += 1;
    if (this.#last > this.#reserved) this.#reserved = this.#last + KEYS_PER_RESERVATION - 1;
    return this.#last;
  }

  /** Part of every commit that writes: a key must not become durable before the bound has passed it. */
  flush(): void {
    if (!this.#connection.isWriting && this.#reserved === this.#storedReserved) return;
    const values = [this.#reserved, this.#commits + 1];
    this.#connection.write(this.#update, ...values, rowChecksum(values));
  }

  committed(): void {
    this.#storedReserved = this.#reserved;
    this.#commits += 1;
  }
}
