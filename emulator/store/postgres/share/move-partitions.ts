/** Changes the owners of partitions. Each change increases the partition's epoch, so the previous owner can store nothing. */
import type { OwnerRow } from "../claim/partition-assignment.ts";
import { removeDead } from "../claim/remove-dead.ts";
import { BEGIN, type Registrant, type Registration } from "../claim/registration.ts";
import type { SeenRenewals } from "../claim/seen-renewals.ts";
import type { Session, Statement } from "../connect/session.ts";
import { arraysOf, bound } from "../values/columns.ts";

const CLAIM = `WITH me AS MATERIALIZED (SELECT 1 FROM replica WHERE id = $1 AND term = $2 FOR KEY SHARE),
    free AS (
      SELECT o.partition FROM unnest($3::bigint[], $4::bigint[]) AS u (partition, epoch)
        JOIN owner o ON o.partition = u.partition AND o.epoch = u.epoch
        WHERE (SELECT count(*) FROM me) = 1 AND (o.replica = $1 OR NOT EXISTS (SELECT 1 FROM replica r WHERE r.id = o.replica))
        FOR UPDATE OF o SKIP LOCKED)
  UPDATE owner SET replica = $1, epoch = epoch + 1 FROM free WHERE owner.partition = free.partition
    RETURNING owner.partition, owner.epoch`;
/** If the next owner's row is gone, the partition has no owner. */
const GIVE = `WITH there AS MATERIALIZED (SELECT id FROM replica WHERE id = ANY($4::text[]) ORDER BY id FOR KEY SHARE)
  UPDATE owner SET replica = (SELECT id FROM there WHERE there.id = u.next), epoch = owner.epoch + 1
    FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS u (partition, epoch, next)
    WHERE owner.partition = u.partition AND owner.epoch = u.epoch AND owner.replica = $1`;

const HELD = { partition: "integer", epoch: "integer" } as const;

/**
 * Takes the partitions that have not changed since they were seen, and returns their epochs.
 *
 * @param tell notice for other replicas
 */
export async function claimPartitions(
  session: Session,
  { id }: Registrant,
  { term }: Registration,
  seen: readonly OwnerRow[],
  tell: Statement,
): Promise<ReadonlyMap<number, number>> {
  const rows = seen.map(({ partition, epoch }) => [partition, epoch]);
  const values = [id, bound(term), ...arraysOf(HELD, rows)];
  const [claimed] = await inTransaction(session, [
    { name: "claim-partitions", text: CLAIM, values },
    tell,
  ]);
  const taken = claimed?.rows.map(
    ([partition, epoch]) => [Number(partition), Number(epoch)] as const,
  );
  return new Map(taken);
}

/** Releases partitions, each with its epoch, to their next owners. An undefined owner leaves the partition without one. */
export async function givePartitions(
  session: Session,
  { id }: Registrant,
  given: readonly (readonly [partition: number, epoch: number, next: string | undefined])[],
  tell: Statement,
): Promise<void> {
  const rows = given.map(([partition, epoch, next]) => [partition, epoch, next ?? null]);
  const values = [id, ...arraysOf({ ...HELD, next: "json" }, rows)];
  await inTransaction(session, [{ name: "give-partitions", text: GIVE, values }, tell]);
}

/** Removes the rows of dead replicas, and returns their number. */
export async function removeOthers(
  session: Session,
  seen: SeenRenewals,
  tell: Statement,
): Promise<number> {
  await session.askAll(BEGIN);
  const removed = await removeDead(session, seen);
  await session.askAll(removed === 0 ? [{ text: "COMMIT" }] : [tell, { text: "COMMIT" }]);
  return removed;
}

async function inTransaction(session: Session, statements: readonly Statement[]) {
  const answers = await session.askAll([...BEGIN, ...statements, { text: "COMMIT" }]);
  return answers.slice(BEGIN.length, -1);
}
