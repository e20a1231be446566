/** Follows what other replicas change of the records. */
import type { Clock } from "../../../core/time/clock.ts";
import type { Batch } from "../../batch.ts";
import type { ChangedRecords } from "../../ownership.ts";
import type { Session } from "../connect/session.ts";
import { changedSince, recordsVersion } from "../reads/changed-records.ts";

/** What was removed is known for a day. */
const FOLLOWED_FOR_MS = 23 * 3_600_000;

export interface RecordChangesParts {
  readonly clock: Clock;
  /** Has a question answered. */
  readonly ask: <T>(question: (session: Session) => Promise<T>) => Promise<T>;
  /** Called when it cannot know any more what others changed; answers what to throw. */
  readonly onLeftBehind: () => Error;
}

export class RecordChanges {
  readonly #parts: RecordChangesParts;
  #known = 0;
  #lookedAt: number;
  #tell: ((changed: ChangedRecords) => void) | undefined;
  /** A look and a batch that changes records go one after another: what is found is never what this process has changed. */
  #turn: Promise<unknown> = Promise.resolve();
  /** A look that has not begun yet. */
  #next: Promise<void> | undefined;

  constructor(parts: RecordChangesParts) {
    this.#parts = parts;
    this.#lookedAt = parts.clock.now();
  }

  /** All records were read, at this version. */
  begin(version: number): void {
    this.#known = version;
    this.#lookedAt = this.#parts.clock.now();
  }

  /** Has the changes told from now on. */
  follow(tell: (changed: ChangedRecords) => void): void {
    this.#tell = tell;
  }

  /** Whether `version` is of changes that were not told. */
  isNews(version: number): boolean {
    if (version === this.#known) this.#lookedAt = this.#parts.clock.now();
    return this.#tell !== undefined && version !== this.#known;
  }

  /** Tells, before it resolves, what was changed before the call. */
  refresh(): Promise<void> {
    this.#next ??= this.#inTurn(() => {
      this.#next = undefined;
      return this.#look();
    });
    return this.#next;
  }

  /** Stores a batch that changes records. */
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
    // A database that was restored has fewer changes than were told.
    if (isTooLate || changed.version < this.#known) throw onLeftBehind();
    this.#known = changed.version;
    this.#lookedAt = clock.now();
    this.#tell(changed);
  }
}
