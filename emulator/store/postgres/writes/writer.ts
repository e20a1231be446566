/**
 * Stores batches, one after another, over one connection. After the loss of the connection, a new one first asks which batches
 * are stored. The reported outcome of a batch is therefore always true, and no batch is stored twice.
 */
import type { Clock } from "../../../core/time/clock.ts";
import { StoreLostError } from "../../../core/store-error.ts";
import type { Batch } from "../../batch.ts";
import { batchOutOfOrder } from "../../batch-refusals.ts";
import { BatchRefusedError, PartitionsLostError } from "../../store.ts";
import type { Claim } from "../claim/claim.ts";
import { endSessions } from "../claim/end-sessions.ts";
import {
  type Fence,
  fenceStatement,
  lastBatchOf,
  lostPartitions,
  type Registration,
  release,
  takeSession,
} from "../claim/registration.ts";
import { ReconnectWait } from "../connect/reconnect-wait.ts";
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
import { partitionsOf } from "./batch-statements.ts";
import { storeBatch } from "./store-batch.ts";

export interface WriterParts {
  readonly open: () => Promise<Session>;
  readonly claim: Claim;
  readonly queues: Queues;
  readonly clock: Clock;
  readonly times: Times;
  /** Whether payloads may be in a bucket. */
  readonly hasLarge: boolean;
  /** Notifies other replicas of changed records. Undefined for an only replica. */
  readonly tellRecords: Statement | undefined;
  readonly changeRecords: <T>(batch: Batch, store: () => Promise<T>) => Promise<T>;
  /** The address of the database, for messages. */
  readonly shown: string;
  readonly onCommit: (durationMs: number) => void;
}

/** The row of the replica is gone: batches with its fence are not stored. */
class UnregisteredError extends Error {}

/** A batch that is being stored. */
interface Flush {
  readonly batch: Batch;
  fence: Fence;
  /** Whether only the database knows if the batch is stored. */
  isInDoubt: boolean;
}

export class Writer {
  readonly #parts: WriterParts;
  readonly #closing = new AbortController();
  /** The last reliable connection. */
  #session: Session;
  /** Number of the last batch, as the owner counts batches. */
  #number: number;
  #line: Progress;
  #registration: Registration;
  #turn: Promise<unknown> = Promise.resolve();

  /** @param session connection without unfinished work */
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
   * Stores the batch after the earlier ones are settled. The claims at the time of the call fence the batch. Returns the names of
   * large payloads that may have lost their last row.
   *
   * @throws as `Store.flush`
   */
  flush(batch: Batch): Promise<readonly string[]> {
    const partitions = partitionsOf(batch);
    const { fence, missing } = this.#parts.claim.fenceOf(partitions);
    const flushed = this.#turn.then(() => {
      if (this.#parts.claim.lost) throw this.#parts.claim.lost;
      if (batch.number !== this.#number + 1) throw batchOutOfOrder(batch.number, this.#number);
      if (missing.size > 0) throw new PartitionsLostError(missing);
      const known = fence ?? { registration: this.#registration, epochs: new Map() };
      const store = () => this.#flush(batch, known);
      return changesRecords(batch) ? this.#parts.changeRecords(batch, store) : store();
    });
    this.#turn = flushed.catch(() => undefined);
    return flushed;
  }

  /** Waits for the batch under way, unless the database cannot be reached. Releases the claim. */
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
    const reconnectFor = new ReconnectWait(clock, times, this.#closing.signal);
    const flush: Flush = { batch, fence, isInDoubt: false };
    for (;;) {
      try {
        return await this.#attempt(flush);
      } catch (error) {
        const isAgain = error instanceof UnregisteredError && flush.fence.epochs.size === 0;
        if (!isAgain && error instanceof UnregisteredError)
          throw new PartitionsLostError(new Set(flush.fence.epochs.keys()));
        if (!isAgain && !isConnectionLoss(error) && !isConflict(error))
          throw fromPostgres(error, shown);
        await reconnectFor.after(error).catch((last: unknown) => {
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
    // The sweep finds payloads that the batch left without a row.
    if (this.#number === batch.number) return [];
    flush.isInDoubt = false;
    this.#register(flush);
    const names = await this.#store(flush, session);
    this.#stored(batch);
    return names;
  }

  /** Puts the batch into the line of the current row. @throws UnregisteredError, PartitionsLostError */
  #register(flush: Flush): void {
    const { registration, held } = this.#parts.claim;
    if (registration === undefined) throw new UnregisteredError();
    if (flush.fence.registration !== registration) {
      // A batch without partitions may be stored under any row.
      if (flush.fence.epochs.size > 0) throw new UnregisteredError();
      flush.fence = { registration, epochs: flush.fence.epochs };
    }
    // No keys of queues may be assigned in partitions that were lost meanwhile.
    const lost = [...flush.fence.epochs].filter(
      ([partition, epoch]) => held.epochOf(partition) !== epoch,
    );
    if (lost.length > 0)
      throw new PartitionsLostError(new Set(lost.map(([partition]) => partition)));
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

  /** Ends the failed transaction, and returns the error for the owner. */
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
      // Nothing is stored, and the exact reason is not worth another connection.
      const isOwn = next instanceof StoreLostError || !isRefusal(error);
      return isOwn
        ? next
        : new BatchRefusedError("the batch does not match the stored data", { cause: error });
    }
  }

  async #lossOf(fence: Fence, session: Session): Promise<Error> {
    const { claim } = this.#parts;
    if (!claim.isShared) return claim.lose(session);
    const { isGone, partitions } = await lostPartitions(session, claim.who.id, fence);
    if (isGone || partitions.size === 0) {
      claim.unregister(fence.registration);
      return new UnregisteredError();
    }
    claim.loseFenced(fence, partitions);
    return new PartitionsLostError(partitions);
  }

  /** Returns a connection that has found out which batches are stored. @throws UnregisteredError */
  async #reliable(flush: Flush): Promise<Session> {
    const former = this.#session;
    if (!former.isBroken) return former;
    const { claim, open, times } = this.#parts;
    const session = await open();
    session.answerMs = times.batch;
    try {
      // The server may not have noticed the loss of the connection, and still hold its locks.
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
      // A new row has to be made, and its line is known.
      if (number === undefined) claim.unregister(registration);
    } catch (error) {
      if (error instanceof UnregisteredError) this.#session = session;
      else session.drop(error);
      throw error;
    }
    this.#session = session;
    return session;
  }

  /** Compares the stored line with the batch, which may turn out to be stored. @throws StoreLostError, UnregisteredError */
  #compare(found: number, { batch, isInDoubt }: Flush): void {
    const { batch: last } = this.#line;
    if (found === last) return;
    if (found === last + 1 && isInDoubt) this.#stored(batch);
    else throw this.#giveUpLine(this.#registration, found > last ? MORE_BATCHES : FEWER_BATCHES);
  }

  /**
   * Handles a stored line that the owner does not know. Only an owner that shares the database can drop its memory and continue.
   */
  #giveUpLine(registration: Registration, why: string): Error {
    const { claim } = this.#parts;
    if (!claim.isShared || why === FEWER_BATCHES) return claim.refuse(why);
    claim.unregister(registration);
    return new UnregisteredError();
  }
}

/** Error text for a stored batch that the owner knows as not stored. */
const MORE_BATCHES =
  "the database contains a batch that was given up while the database was unreachable; restart the emulator";
const FEWER_BATCHES =
  "the database lacks acknowledged batches: it was restored, or a standby that lagged behind took over; restart the emulator";
