/** Gives ascending keys. The database holds a bound no key has passed, moved up once in a thousand keys. */
import type { StatementSync } from "node:sqlite";
import type { Connection } from "./connection.ts";
import { integerAt, rowOf } from "./row.ts";

const KEYS_PER_RESERVATION = 1_000;

export class SequenceTable {
  readonly #connection: Connection;
  readonly #reserve: StatementSync;
  /** Never taken back: a key that a failed step was given stays unused. */
  #last: number;
  #reserved: number;
  #storedReserved: number;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#reserve = connection.prepare("UPDATE sequence SET reserved_seq = ?");
    const stored = connection.first(connection.prepare("SELECT reserved_seq FROM sequence"));
    this.#reserved = integerAt(rowOf(stored), 0);
    this.#storedReserved = this.#reserved;
    this.#last = this.#reserved;
  }

  next(): number {
    this.#last += 1;
    if (this.#last > this.#reserved) this.#reserved = this.#last + KEYS_PER_RESERVATION - 1;
    return this.#last;
  }

  /** Part of every commit: a key must not become durable before the bound has passed it. */
  flush(): void {
    if (this.#reserved > this.#storedReserved)
      this.#connection.write(this.#reserve, this.#reserved);
  }

  committed(): void {
    this.#storedReserved = this.#reserved;
  }
}
