/**
 * Stores batches, one after another, over one connection. Should that be lost, another is made and asked which batches are
 * stored: so nobody is told of a batch what is not true, and none is stored twice.
 */
import type { Clock } from "../../../core/time/clock.ts";
import { StoreLostError } from "../../../core/store-error.ts";
import type { Batch } from "../../batch.ts";
import { batchOutOfOrder } from "../../caller-defects.ts";
import { BatchRefusedError } from "../../store.ts";
import { type Claim, NOT_OWNER } from "../claim/claim.ts";
import { Patience } from "../connect/patience.ts";
import {
  fromPostgres,
  isConflict,
  isConnectionLoss,
  isServerError,
  REFUSED,
} from "../connect/postgres-error.ts";
import type { Session } from "../connect/session.ts";
import type { Times } from "../options.ts";
import type { Progress } from "./progress.ts";
import { readProgress } from "./progress.ts";
import type { Queues } from "./queues.ts";
import { BATCH_NOT_NEXT, explain, isRefusal } from "./refusals.ts";
import { storeBatch } from "./store-batch.ts";

export interface WriterParts {
  readonly open: () => Promise<Session>;
  readonly claim: Claim;
  readonly queues: Queues;
  readonly clock: Clock;
  readonly times: Times;
  /** Whether payloads may lie outside of the database. */
  readonly hasLarge: boolean;
  /** The address of the database, for messages. */
  readonly shown: string;
  readonly onCommit: (durationMs: number) => void;
}

export class Writer {
  readonly #parts: WriterParts;
  readonly #closing = new AbortController();
  /** Undefined while there is none that can be relied on. */
  #session: Session | undefined;
  #stored: Progress;
  #turn: Promise<unknown> = Promise.resolve();

  /** @param session has the claim and nothing under way */
  constructor(parts: WriterParts, session: Session, stored: Progress) {
    this.#parts = parts;
    this.#session = session;
    this.#stored = stored;
  }

  /**
   * Stores it once those before are settled. Answers the names of large payloads that may have lost their last row.
   *
   * @throws as `Store.flush`
   */
  flush(batch: Batch): Promise<readonly string[]> {
    const flushed = this.#turn.then(() => this.#flush(batch));
    this.#turn = flushed.catch(() => undefined);
    return flushed;
  }

  /** Waits for what is under way, but for no database that cannot be reached. Gives the claim back. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#turn;
    const session = this.#session;
    this.#session = undefined;
    const { claim } = this.#parts;
    await session?.end(claim.lost ? undefined : () => claim.release(session));
  }

  async #flush(batch: Batch): Promise<readonly string[]> {
    const { claim, clock, times, shown } = this.#parts;
    if (claim.lost) throw claim.lost;
    if (batch.number !== this.#stored.batch + 1)
      throw batchOutOfOrder(batch.number, this.#stored.batch);
    const patience = new Patience(clock, times, this.#closing.signal);
    // Whether the database alone knows of it.
    let isInDoubt = false;
    for (;;) {
      try {
        const session = await this.#reliable(isInDoubt ? batch.number : undefined);
        // What it left without a row the sweep finds.
        if (this.#stored.batch === batch.number) return [];
        isInDoubt = false;
        return await this.#store(batch, session, () => {
          isInDoubt = true;
        });
      } catch (error) {
        if (!isConnectionLoss(error) && !isConflict(error)) throw fromPostgres(error, shown);
        await patience.after(error).catch((last: unknown) => {
          throw fromPostgres(last, shown);
        });
      }
    }
  }

  async #store(batch: Batch, session: Session, committing: () => void) {
    const { claim, queues, hasLarge, onCommit } = this.#parts;
    const { lastSeq } = this.#stored;
    const startedAt = performance.now();
    let names: readonly string[];
    try {
      names = await storeBatch(batch, { session, claim, queues, lastSeq, hasLarge, committing });
    } catch (error) {
      if (isConnectionLoss(error)) {
        this.#forget(session);
        throw error;
      }
      throw await this.#refusalOf(error, batch, session);
    }
    this.#stored = { batch: batch.number, lastSeq: Math.max(lastSeq, batch.lastSeq) };
    onCommit(performance.now() - startedAt);
    return names;
  }

  /** Leaves the failed transaction. Answers what its owner is told. */
  async #refusalOf(error: unknown, batch: Batch, session: Session): Promise<unknown> {
    try {
      await session.ask({ text: "ROLLBACK" });
      if (!isRefusal(error)) return error;
      const said = isServerError(error) && error.code === REFUSED ? error.message : "";
      if (said === NOT_OWNER) return await this.#parts.claim.lose(session);
      if (said === BATCH_NOT_NEXT) return this.#parts.claim.refuse(MORE_BATCHES);
      return await explain(error, batch, session);
    } catch (next) {
      if (isConnectionLoss(next)) this.#forget(session);
      // Nothing of it is stored: what is wrong with it in particular is not worth another connection.
      const isOwn = next instanceof StoreLostError || !isRefusal(error);
      return isOwn
        ? next
        : new BatchRefusedError("the batch does not fit to what is stored", { cause: error });
    }
  }

  /** A connection of which is known what was stored before it. @param inDoubt the number of a batch that may be stored */
  async #reliable(inDoubt: number | undefined): Promise<Session> {
    const known = this.#session;
    if (known !== undefined && !known.isBroken) return known;
    this.#session = undefined;
    const { claim, open } = this.#parts;
    const session = await open();
    try {
      await claim.renew(session);
      const found = await readProgress(session);
      if (found.batch !== this.#stored.batch && found.batch !== inDoubt)
        throw claim.refuse(found.batch > this.#stored.batch ? MORE_BATCHES : FEWER_BATCHES);
      this.#stored = found;
    } catch (error) {
      session.drop();
      throw error;
    }
    this.#session = session;
    return session;
  }

  #forget(session: Session): void {
    session.drop();
    if (this.#session === session) this.#session = undefined;
  }
}

/** Its owner was told that it could not be stored, and goes by that. */
const MORE_BATCHES =
  "the database has a batch that was given up when it could not be reached; start the emulator anew";
const FEWER_BATCHES =
  "the database lacks batches that it had acknowledged: it was restored, or a standby that was behind took over; start the emulator anew";
