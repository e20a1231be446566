/**
 * Stores batches, one after another, over one connection. Should that be lost, another is made and asked which batches are
 * stored: so nobody is told of a batch what is not true, and none is stored twice.
 */
import type { Clock } from "../../../core/time/clock.ts";
import { StoreLostError } from "../../../core/store-error.ts";
import type { Batch } from "../../batch.ts";
import { batchOutOfOrder } from "../../caller-defects.ts";
import { BatchRefusedError, PartsLostError } from "../../store.ts";
import type { Claim } from "../claim/claim.ts";
import { endSessions } from "../claim/end-sessions.ts";
import {
  type Fence,
  fenceStatement,
  lastBatchOf,
  partsBehind,
  type Registration,
  release,
  takeSession,
} from "../claim/registration.ts";
import { Patience } from "../connect/patience.ts";
import {
  fromPostgres,
  isConflict,
  isConnectionLoss,
  isServerError,
  REFUSED,
} from "../connect/postgres-error.ts";
import type { Session, Statement } from "../connect/session.ts";
import type { Times } from "../options.ts";
import { type Progress, readProgress } from "./progress.ts";
import type { Queues } from "./queues.ts";
import { changesRecords } from "./record-writes.ts";
import { BATCH_NOT_NEXT, explain, isRefusal, NOT_OWNER } from "./refusals.ts";
import { partsOf } from "./rounds.ts";
import { storeBatch } from "./store-batch.ts";

export interface WriterParts {
  readonly open: () => Promise<Session>;
  readonly claim: Claim;
  readonly queues: Queues;
  readonly clock: Clock;
  readonly times: Times;
  /** Whether payloads may lie outside of the database. */
  readonly hasLarge: boolean;
  /** Tells other replicas of records that change; undefined where there is none. */
  readonly tellRecords: Statement | undefined;
  /** Does the storing of a batch that changes records. */
  readonly changeRecords: <T>(batch: Batch, store: () => Promise<T>) => Promise<T>;
  /** The address of the database, for messages. */
  readonly shown: string;
  readonly onCommit: (durationMs: number) => void;
}

/** The row it had is gone: what was fenced by it is not stored. */
class UnregisteredError extends Error {}

/** A batch on its way. */
interface Flush {
  readonly batch: Batch;
  fence: Fence;
  /** Whether the database alone knows if it is stored. */
  isInDoubt: boolean;
}

export class Writer {
  readonly #parts: WriterParts;
  readonly #closing = new AbortController();
  /** The last one that could be relied on. */
  #session: Session;
  /** The number of the last batch, as its owner counts. */
  #number: number;
  /** How far the line has come that belongs to the registration. */
  #line: Progress;
  #registration: Registration;
  #turn: Promise<unknown> = Promise.resolve();

  /** @param session has nothing under way */
  constructor(parts: WriterParts, session: Session) {
    const registration = parts.claim.atStart;
    this.#parts = parts;
    this.#session = session;
    session.answerMs = parts.times.batch;
    this.#registration = registration;
    this.#line = registration.line;
    this.#number = registration.line.batch;
  }

  /**
   * Stores it once those before are settled. What it rests on is what is claimed at the call. Answers the names of large payloads
   * that may have lost their last row.
   *
   * @throws as `Store.flush`
   */
  flush(batch: Batch): Promise<readonly string[]> {
    const parts = partsOf(batch);
    const { fence, missing } = this.#parts.claim.fenceOf(parts);
    const flushed = this.#turn.then(() => {
      if (this.#parts.claim.lost) throw this.#parts.claim.lost;
      if (batch.number !== this.#number + 1) throw batchOutOfOrder(batch.number, this.#number);
      if (missing.size > 0) throw new PartsLostError(missing);
      const known = fence ?? { registration: this.#registration, epochs: new Map() };
      const store = () => this.#flush(batch, known);
      return changesRecords(batch) ? this.#parts.changeRecords(batch, store) : store();
    });
    this.#turn = flushed.catch(() => undefined);
    return flushed;
  }

  /** Waits for what is under way, but for no database that cannot be reached. Gives the claim back. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#turn;
    const session = this.#session;
    const { lost, registration, who } = this.#parts.claim;
    const isGone = lost !== undefined || registration === undefined;
    await session.end(isGone ? undefined : () => release(session, who.id, registration));
  }

  async #flush(batch: Batch, fence: Fence): Promise<readonly string[]> {
    const { clock, times, shown } = this.#parts;
    const patience = new Patience(clock, times, this.#closing.signal);
    const flush: Flush = { batch, fence, isInDoubt: false };
    for (;;) {
      try {
        return await this.#attempt(flush);
      } catch (error) {
        const isAgain = error instanceof UnregisteredError && flush.fence.epochs.size === 0;
        if (!isAgain && error instanceof UnregisteredError)
          throw new PartsLostError(new Set(flush.fence.epochs.keys()));
        if (!isAgain && !isConnectionLoss(error) && !isConflict(error))
          throw fromPostgres(error, shown);
        await patience.after(error).catch((last: unknown) => {
          throw fromPostgres(last, shown);
        });
      }
    }
  }

  async #attempt(flush: Flush): Promise<readonly string[]> {
    const { claim } = this.#parts;
    if (claim.lost) throw claim.lost;
    const { batch } = flush;
    const session = await this.#reliable(flush);
    // What it left without a row the sweep finds.
    if (this.#number === batch.number) return [];
    flush.isInDoubt = false;
    this.#register(flush);
    const names = await this.#store(flush, session);
    this.#stored(batch);
    return names;
  }

  /** Has the batch go into the line of the row that there is now. @throws UnregisteredError, PartsLostError */
  #register(flush: Flush): void {
    const { registration, held } = this.#parts.claim;
    if (registration === undefined) throw new UnregisteredError();
    if (flush.fence.registration !== registration) {
      // What belongs to no part may be stored by any row.
      if (flush.fence.epochs.size > 0) throw new UnregisteredError();
      flush.fence = { registration, epochs: flush.fence.epochs };
    }
    // No keys of queues are given any more in parts that were lost meanwhile.
    const lost = [...flush.fence.epochs].filter(([part, epoch]) => held.epochOf(part) !== epoch);
    if (lost.length > 0) throw new PartsLostError(new Set(lost.map(([part]) => part)));
    if (this.#registration === registration) return;
    this.#registration = registration;
    this.#line = registration.line;
  }

  #stored({ number, lastSeq }: Batch): void {
    this.#number = number;
    const { batch } = this.#line;
    this.#line = { batch: batch + 1, lastSeq: Math.max(this.#line.lastSeq, lastSeq) };
  }

  async #store(flush: Flush, session: Session): Promise<readonly string[]> {
    const { claim, onCommit, ...parts } = this.#parts;
    const { batch, fence } = flush;
    const startedAt = performance.now();
    const line = {
      batch: this.#line.batch + 1,
      lastSeq: Math.max(this.#line.lastSeq, batch.lastSeq),
    };
    try {
      const names = await storeBatch(batch, {
        ...{ ...parts, session, line, slot: fence.registration.slot },
        fence: fenceStatement(claim.who.id, fence),
        committing: () => void (flush.isInDoubt = true),
      });
      onCommit(performance.now() - startedAt);
      return names;
    } catch (error) {
      if (isConnectionLoss(error)) {
        session.drop(error);
        throw error;
      }
      flush.isInDoubt = false;
      throw await this.#refusalOf(error, flush, session);
    }
  }

  /** Leaves the failed transaction. Answers what its owner is told. */
  async #refusalOf(error: unknown, { batch, fence }: Flush, session: Session): Promise<unknown> {
    try {
      await session.ask({ text: "ROLLBACK" });
      if (!isRefusal(error)) return error;
      const said = isServerError(error) && error.code === REFUSED ? error.message : "";
      if (said === NOT_OWNER) return await this.#lossOf(fence, session);
      if (said === BATCH_NOT_NEXT) return this.#giveUpLine(fence.registration, MORE_BATCHES);
      return await explain(error, batch, session);
    } catch (next) {
      if (isConnectionLoss(next)) session.drop(next);
      // Nothing of it is stored: what is wrong with it in particular is not worth another connection.
      const isOwn = next instanceof StoreLostError || !isRefusal(error);
      return isOwn
        ? next
        : new BatchRefusedError("the batch does not fit to what is stored", { cause: error });
    }
  }

  async #lossOf(fence: Fence, session: Session): Promise<Error> {
    const { claim } = this.#parts;
    if (!claim.isShared) return claim.lose(session);
    const { isGone, parts } = await partsBehind(session, claim.who.id, fence);
    if (isGone || parts.size === 0) {
      claim.unregister(fence.registration);
      return new UnregisteredError();
    }
    claim.losePartsOf(fence, parts);
    return new PartsLostError(parts);
  }

  /** A connection of which is known what was stored before it. @throws UnregisteredError */
  async #reliable(flush: Flush): Promise<Session> {
    const former = this.#session;
    if (!former.isBroken) return former;
    const { claim, open, times } = this.#parts;
    const session = await open();
    session.answerMs = times.batch;
    try {
      // The server need not know yet that it is gone, and keeps for it what it has locked.
      if (former.pid !== undefined) await endSessions(session, claim.who.id, former.pid);
      const registration = this.#registration;
      const number = await takeSession(session, claim.who.id, registration);
      if (number !== undefined) registration.session = number;
      else if (!claim.isShared) await claim.lose(session);
      const found =
        number === undefined
          ? await lastBatchOf(session, registration)
          : (await readProgress(session, registration.slot)).batch;
      this.#compare(found, flush);
      // Another row is to be had, and what is stored by that is known.
      if (number === undefined) claim.unregister(registration);
    } catch (error) {
      if (error instanceof UnregisteredError) this.#session = session;
      else session.drop(error);
      throw error;
    }
    this.#session = session;
    return session;
  }

  /** Notes a batch that turns out to be stored. @throws StoreLostError, UnregisteredError */
  #compare(found: number, { batch, isInDoubt }: Flush): void {
    const { batch: last } = this.#line;
    if (found === last) return;
    if (found === last + 1 && isInDoubt) this.#stored(batch);
    else throw this.#giveUpLine(this.#registration, found > last ? MORE_BATCHES : FEWER_BATCHES);
  }

  /** What is stored is not what its owner goes by, who can forget that only where others may do its work. */
  #giveUpLine(registration: Registration, why: string): Error {
    const { claim } = this.#parts;
    if (!claim.isShared || why === FEWER_BATCHES) return claim.refuse(why);
    claim.unregister(registration);
    return new UnregisteredError();
  }
}

/** Its owner was told that it could not be stored, and goes by that. */
const MORE_BATCHES =
  "the database has a batch that was given up when it could not be reached; start the emulator anew";
const FEWER_BATCHES =
  "the database lacks batches that it had acknowledged: it was restored, or a standby that was behind took over; start the emulator anew";
