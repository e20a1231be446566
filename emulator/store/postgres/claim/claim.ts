/**
 * The claim of one process to parts of the database. The fence is the epoch: every batch is stored together with a look at the
 * owners of its parts, which keeps them from changing hands meanwhile; who has lost a part stores nothing.
 */
import { StoreLostError } from "../../../core/store-error.ts";
import type { Session, Statement } from "../connect/session.ts";
import { bound, listOf } from "../values/columns.ts";
import { endSessionsOfOverdue } from "./end-sessions.ts";
import { ALL_PARTS, SERVICE_PART } from "./parts.ts";

/** What `refuse` says of a batch whose owner is another by now. */
export const NOT_OWNER = "owner";

/**
 * Its rows, locked in the order of the parts, as a fence locks them: in another order, the two of them could wait for each
 * other.
 */
const OWN = "WITH own AS (SELECT part FROM owner WHERE replica = $1 ORDER BY part FOR UPDATE)";
const FROM_OWN = "FROM own WHERE owner.part = own.part";
const UNTIL = "clock_timestamp() + $2 * interval '1 millisecond'";

export class Claim {
  readonly replica: string;
  readonly #leaseMs: number;
  readonly #onLost: (lost: StoreLostError) => void;
  #epochs: ReadonlyMap<number, number> = new Map();
  #lost: StoreLostError | undefined;

  constructor(replica: string, leaseMs: number, onLost: (lost: StoreLostError) => void) {
    this.replica = replica;
    this.#leaseMs = leaseMs;
    this.#onLost = onLost;
  }

  /** Why nothing is stored or answered any more. */
  get lost(): StoreLostError | undefined {
    return this.#lost;
  }

  /** Claims all parts, unless another process has a live claim: answers its name then. Throws what `pg` throws. */
  async take(session: Session): Promise<string | undefined> {
    await endSessionsOfOverdue(session, this.replica);
    await session.ask({ text: "BEGIN" });
    const { rows } = await session.ask({
      text: "SELECT replica, until > clock_timestamp() FROM owner ORDER BY part FOR UPDATE",
    });
    const holder = rows.find(([replica, isLive]) => isLive === "t" && replica !== this.replica);
    if (holder !== undefined) {
      await session.ask({ text: "ROLLBACK" });
      return String(holder[0]);
    }
    const [taken] = await session.askAll([
      {
        text: `UPDATE owner SET replica = $1, epoch = epoch + 1, until = ${UNTIL} RETURNING part, epoch`,
        values: [this.replica, this.#leaseMs],
      },
      { text: "COMMIT" },
    ]);
    this.#note(taken?.rows ?? []);
    return undefined;
  }

  /**
   * To be called on a new connection, before it is relied on. What was under way on the one before is stored by then, or never
   * will be. @throws StoreLostError
   */
  async renew(session: Session): Promise<void> {
    const { rows } = await session.ask({
      text: `${OWN} UPDATE owner SET epoch = epoch + 1, until = ${UNTIL} ${FROM_OWN} RETURNING owner.part, epoch`,
      values: [this.replica, this.#leaseMs],
    });
    this.#note(rows);
  }

  /** Keeps it for another lease. @throws StoreLostError */
  async prolong(session: Session): Promise<void> {
    const { rowCount } = await session.ask({
      name: "prolong",
      text: `${OWN} UPDATE owner SET until = ${UNTIL} ${FROM_OWN}`,
      values: [this.replica, this.#leaseMs],
    });
    if (rowCount !== ALL_PARTS.length) await this.lose(session);
  }

  async release(session: Session): Promise<void> {
    await session.ask({
      text: `${OWN} UPDATE owner SET replica = NULL, until = NULL ${FROM_OWN}`,
      values: [this.replica],
    });
  }

  /** Fails within a transaction unless the parts are claimed still, and has them stay so until its end. */
  fence(parts: ReadonlySet<number>): Statement {
    const fenced = [...new Set([SERVICE_PART, ...parts])].toSorted((a, b) => a - b);
    const epochs = fenced.map((part) => this.#epochs.get(part) ?? -1);
    return {
      name: "fence",
      text: `WITH own AS (
          SELECT o.part FROM unnest($1::bigint[], $2::bigint[]) AS u (part, epoch)
            JOIN owner o ON o.part = u.part AND o.epoch = u.epoch FOR SHARE OF o)
        SELECT refuse('${NOT_OWNER}') FROM own HAVING count(*) <> $3`,
      values: [listOf("integer", fenced), listOf("integer", epochs), bound(fenced.length)],
    };
  }

  /** Another process has it. @throws StoreLostError, which names it */
  async lose(session: Session): Promise<never> {
    const { rows } = await session.ask({
      text: "SELECT replica FROM owner WHERE replica <> $1 LIMIT 1",
      values: [this.replica],
    });
    const [holder] = rows[0] ?? [];
    const who = holder === undefined ? "another process" : `another process (${String(holder)})`;
    throw this.refuse(`${who} has taken the database over; nothing more is stored here`);
  }

  /** Answers the error for all that is asked from now on. */
  refuse(message: string): StoreLostError {
    if (this.#lost === undefined) {
      this.#lost = new StoreLostError(message);
      this.#onLost(this.#lost);
    }
    return this.#lost;
  }

  #note(rows: readonly (readonly unknown[])[]): void {
    if (rows.length !== ALL_PARTS.length)
      throw this.refuse("another process has taken the database over; nothing more is stored here");
    this.#epochs = new Map(rows.map(([part, epoch]) => [Number(part), Number(epoch)]));
  }
}
