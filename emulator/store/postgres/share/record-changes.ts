/** Follows the changes of records by other replicas. */
import type { Clock } from "../../../core/time/clock.ts";
import type { Batch } from "../../batch.ts";
import type { ChangedRecords } from "../../ownership.ts";
import type { Ask } from "../connect/session.ts";
import { changedSince, recordsVersion } from "../reads/changed-records.ts";

/** Maximum time between two looks. The removal of a record is kept for a day. */
const FOLLOWED_FOR_MS = 23 * 3_600_000;

export interface RecordChangesParts {
  readonly clock: Clock;
  readonly ask: Ask;
  /** Called when changes may have been missed. Returns the error to throw. */
  readonly onLeftBehind: () => Error;
}

export class RecordChanges {
  readonly #parts: RecordChangesParts;
  #known = 0;
  #lookedAt: number;
  #tell: ((changed: ChangedRecords) => void) | undefined;
  /** Looks and own changes of records take turns, so that a look never finds an own change. */
  #turn: Promise<unknown> = Promise.resolve();
  /** The next look, until it begins. */
  #next: Promise<void> | undefined;

  constructor(parts: RecordChangesParts) {
    this.#parts = parts;
    this.#lookedAt = parts.clock.now();
  }

  /** Call this when all records were read at this version. */
  begin(version: number): void {
    this.#known = version;
    this.#lookedAt = this.#parts.clock.now();
  }

  /** Calls `tell` with all changes from now on. */
  follow(tell: (changed: ChangedRecords) => void): void {
    this.#tell = tell;
  }

  isNews(version: number): boolean {
    if (version === this.#known) this.#lookedAt = this.#parts.clock.now();
    return this.#tell !== undefined && version !== this.#known;
  }

  /** Resolves when all changes made before the call are reported. */
  refresh(): Promise<void> {
    this.#next ??= this.#inTurn(() => {
      this.#next = undefined;
      return this.#look();
    });
    return this.#next;
  }

  async store<T>({ recordsVersion: base }: Batch, flush: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const stored = await flush();
      if (base === this.#known) this.#known += 1;
      return stored;
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #look(): Promise<void> {
    const { clock, ask, onLeftBehind } = this.#parts;
    if (this.#tell === undefined || (await ask(recordsVersion)) === this.#known) return;
    const isTooLate = clock.now() - this.#lookedAt >= FOLLOWED_FOR_MS;
    const changed = await ask((session) => changedSince(session, this.#known));
    // A restored database has fewer changes than were reported.
    if (isTooLate || changed.version < this.#known) throw onLeftBehind();
    this.#known = changed.version;
    this.#lookedAt = clock.now();
    this.#tell(changed);
  }
}
