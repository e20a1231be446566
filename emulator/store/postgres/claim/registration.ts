/**
 * The row of a process that uses the database. While the row exists, no other replica has its partitions. Any replica may remove
 * a row that is no longer renewed; it skips a row that a batch has locked until its next look.
 *
 * Rows are locked in the same order everywhere, so that no deadlock arises: replicas, owners by partition, all others.
 */
import type { Session, Statement } from "../connect/session.ts";
import { whyUnreadable } from "../schema-version.ts";
import { arraysOf, bound } from "../values/columns.ts";
import { highestSeq, type Progress, readProgress } from "../writes/progress.ts";
import { NOT_OWNER } from "../writes/refusals.ts";
import { removeDead } from "./remove-dead.ts";
import { ALL_PARTITIONS } from "./partitions.ts";
import type { SeenRenewals } from "./seen-renewals.ts";

export interface Registrant {
  readonly id: string;
  /** Address for other replicas. Undefined for an only replica. */
  readonly address: string | undefined;
  /** Address for workers of other machines. Undefined if they cannot reach the replica. */
  readonly workerAddress: string | undefined;
  readonly version: string;
  /** Highest schema version that the process knows. */
  readonly knows: number;
  /** The usual lease; a renewal may ask for a longer one. */
  readonly leaseMs: number;
}

/** The row of a process, with its line and partitions. */
export interface Registration {
  /** Unique among all rows, past rows included. */
  readonly term: number;
  /** Number that identifies the replica's line of batches and its keys. */
  readonly slot: number;
  /** The line when the row was made, and the highest key of all lines. */
  readonly line: Progress;
  readonly highest: number;
  /** Epochs of the partitions that were claimed with the row. */
  readonly epochs: ReadonlyMap<number, number>;
  /** Number of the connection that writes batches. */
  session: number;
}

/** Conditions under which a batch is stored. */
export interface Fence {
  readonly registration: Registration;
  /** Epochs by partition, in ascending order of partitions. */
  readonly epochs: ReadonlyMap<number, number>;
}

/** The row, or the reason for a refusal. */
export type Registered = { readonly registration: Registration } | { readonly refusal: string };

/** Changes of the schema take the same lock. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtext('sv-runtime ' || current_schema()))";
const INSERT = `INSERT INTO replica (id, slot, address, worker_address, version, lease_ms, knows)
  SELECT $1, min(slot), $2, $3, $4, $5::bigint, $6 FROM generate_series(0, 63) AS slot
    WHERE slot NOT IN (SELECT slot FROM replica) HAVING min(slot) IS NOT NULL
  ON CONFLICT (id) DO NOTHING RETURNING term, slot`;
/** A day ago in service time: a leap of the database's clock expires nothing. */
const DAY_AGO = "(SELECT highest - 86400000 FROM service_clock)";
const FORGET = `WITH former AS (DELETE FROM former_replica WHERE ended_at < ${DAY_AGO})
  DELETE FROM removed_record WHERE removed_at < ${DAY_AGO}`;

/** Begins a transaction about claims. It fails instead of waiting for a suspended process, and is retried later. */
export const BEGIN: readonly Statement[] = [
  { text: "BEGIN" },
  { text: "SET LOCAL lock_timeout = 250" },
];

/** Makes the row, and replaces an earlier one. An only replica also gets all partitions. Throws what `pg` throws. */
export async function register(
  session: Session,
  who: Registrant,
  seen: SeenRenewals,
): Promise<Registered> {
  await session.askAll([...BEGIN, { text: LOCK }]);
  const unreadable = await whyUnreadable(session, who.knows);
  if (unreadable !== undefined) {
    await session.ask({ text: "ROLLBACK" });
    return { refusal: `the database ${unreadable}` };
  }
  await removeDead(session, seen, who.id);
  const { rows: others } = await session.ask({
    text: "SELECT id, address FROM replica ORDER BY id",
  });
  const refusal = refusalOf(who, others);
  const { id, address = null, workerAddress = null, version, leaseMs, knows } = who;
  const values = [id, address, workerAddress, version, bound(leaseMs), knows];
  const row = refusal === undefined ? await session.ask({ text: INSERT, values }) : undefined;
  const [term, slot] = row?.rows[0] ?? [];
  if (term === undefined || slot === undefined) {
    await session.ask({ text: "COMMIT" });
    return { refusal: refusal ?? "64 emulators share the database, and no more can" };
  }
  const line: Progress = await readProgress(session, Number(slot));
  const highest = await highestSeq(session);
  const epochs = who.address === undefined ? await takeAll(session, who.id) : new Map();
  await session.askAll([{ text: FORGET }, { text: "COMMIT" }]);
  const registration = {
    term: Number(term),
    slot: Number(slot),
    session: 0,
    line,
    highest,
    epochs,
  };
  return { registration };
}

function refusalOf(who: Registrant, others: readonly (readonly unknown[])[]): string | undefined {
  const alone = others.find(([, address]) => address === null);
  if (alone !== undefined) return inUseBy(String(alone[0]));
  if (who.address !== undefined || others.length === 0) return undefined;
  const names = others.map(([id]) => String(id)).join(", ");
  return `the database is shared by other emulators (${names}); start this one with --advertise as well, or choose another database or schema`;
}

/** Returns the refusal for a database whose replica does not share it. */
function inUseBy(holder: string): string {
  return `the database is in use by another emulator (${holder}); stop it or choose another database or schema`;
}

async function takeAll(session: Session, id: string): Promise<ReadonlyMap<number, number>> {
  const { rows } = await session.ask({
    text: "UPDATE owner SET replica = $1, epoch = epoch + 1 RETURNING partition, epoch",
    values: [id],
  });
  return new Map(rows.map(([partition, epoch]) => [Number(partition), Number(epoch)]));
}

/** Facts about a replica that each renewal stores. */
export interface Told {
  readonly knowsTime: boolean;
  /** Service time. */
  readonly now: number;
  /** Lead of the machine's clock over the clock of the database, ms. */
  readonly clockAheadMs: number;
  /** Whether the replica takes partitions. */
  readonly hasBegun: boolean;
  readonly leaseMs: number;
}

/** Renews the row for another lease. Affects no row if the row is gone. */
export function prolong({ id }: Registrant, { term }: Registration, told: Told): Statement {
  const { knowsTime, now, clockAheadMs, hasBegun, leaseMs } = told;
  return {
    name: "prolong",
    text: `UPDATE replica SET renewals = renewals + 1, knows_time = $3, clock_ahead_ms = $4, lease_ms = $7,
        begun_at = CASE WHEN $5::boolean THEN coalesce(begun_at, $6::bigint) END
      WHERE id = $1 AND term = $2`,
    values: [
      ...[id, bound(term), knowsTime, bound(clockAheadMs)],
      ...[hasBegun, bound(now), bound(leaseMs)],
    ],
  };
}

/**
 * Call this on a new connection before it writes. Afterwards an unfinished batch of the previous connection can no longer be
 * stored. Returns the number of the connection, or undefined if the row is gone.
 */
export async function takeSession(
  session: Session,
  id: string,
  { term }: Registration,
): Promise<number | undefined> {
  const { rows } = await session.ask({
    text: `WITH own AS (SELECT id FROM replica WHERE id = $1 AND term = $2 FOR UPDATE)
      UPDATE replica SET session = session + 1 FROM own WHERE replica.id = own.id RETURNING session`,
    values: [id, bound(term)],
  });
  return rows[0] && Number(rows[0][0]);
}

/** Number of the last batch of a replica that lost its row. */
export async function lastBatchOf(session: Session, { term }: Registration): Promise<number> {
  const { rows } = await session.ask({
    text: "SELECT batch FROM former_replica WHERE term = $1",
    values: [bound(term)],
  });
  return Number(rows[0]?.[0] ?? -1);
}

/** Removes the row, and releases its partitions. */
export async function release(session: Session, id: string, { term }: Registration): Promise<void> {
  await session.ask({
    text: `WITH own AS (SELECT id FROM replica WHERE id = $1 AND term = $2 FOR UPDATE),
        freed AS (UPDATE owner SET replica = NULL, epoch = epoch + 1 FROM own WHERE owner.replica = own.id)
      DELETE FROM replica USING own WHERE replica.id = own.id`,
    values: [id, bound(term)],
  });
}

/** Fails if the row or the partitions have changed. Locks them until the end of the transaction. */
export function fenceStatement(id: string, { registration, epochs }: Fence): Statement {
  return {
    name: "fence",
    text: `WITH me AS MATERIALIZED (
          SELECT 1 FROM replica WHERE id = $1 AND term = $2 AND session = $3 FOR KEY SHARE),
        own AS (
          SELECT o.partition FROM unnest($4::bigint[], $5::bigint[]) AS u (partition, epoch)
            JOIN owner o ON o.partition = u.partition AND o.epoch = u.epoch
            WHERE (SELECT count(*) FROM me) = 1 FOR SHARE OF o)
      SELECT refuse('${NOT_OWNER}') FROM own HAVING count(*) <> $6 OR (SELECT count(*) FROM me) <> 1`,
    values: [
      id,
      bound(registration.term),
      bound(registration.session),
      ...arraysOf({ partition: "integer", epoch: "integer" }, [...epochs]),
      bound(epochs.size),
    ],
  };
}

/** Returns the lost partitions of a failed fence. All are lost if the row is gone. */
export async function lostPartitions(
  session: Session,
  id: string,
  { registration, epochs }: Fence,
): Promise<{ readonly isGone: boolean; readonly partitions: ReadonlySet<number> }> {
  const [row, owners] = await session.askAll([
    {
      text: "SELECT 1 FROM replica WHERE id = $1 AND term = $2",
      values: [id, bound(registration.term)],
    },
    { text: "SELECT partition, epoch FROM owner" },
  ]);
  const isGone = row?.rows.length !== 1;
  const stored = new Map(
    owners?.rows.map(([partition, epoch]) => [Number(partition), Number(epoch)]),
  );
  const partitions = ALL_PARTITIONS.filter((partition) => {
    const epoch = epochs.get(partition);
    return epoch !== undefined && (isGone || stored.get(partition) !== epoch);
  });
  return { isGone, partitions: new Set(partitions) };
}
