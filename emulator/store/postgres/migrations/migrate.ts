/**
 * Brings the schema of a database to this version's form. One process at a time does; the others find it done.
 *
 * While versions are changed one process after another, some of the version before still work on what a migration has made.
 * Each migration says which can (`readableBy`): one that those could not read who are there is not made.
 */
import { StoreUnusableError } from "../../../core/store-error.ts";
import { isConflict, isLocked } from "../connect/postgres-error.ts";
import { bury } from "../claim/bury.ts";
import { inUseBy } from "../claim/registration.ts";
import type { SeenRenewals } from "../claim/seen-renewals.ts";
import type { Session } from "../connect/session.ts";
import type { Settings } from "../connect/settings.ts";
import type { FirstRecord } from "../options.ts";
import { RecordWrites } from "../writes/record-writes.ts";
import { findSchema, whyUnreadable } from "./found-schema.ts";
import type { Migration } from "./migrations.ts";

/** Whoever registers takes it as well: nobody comes while it is looked who is there. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtext('sv-runtime ' || $1))";
const IS_THERE = "SELECT 1 FROM pg_namespace WHERE nspname = $1";

/** Statements of others wait behind one that waits for a table. */
const PATIENT = "SET LOCAL lock_timeout = 300";
const TABLES_IN_USE =
  "the tables of the database must be changed for this version, and a transaction that takes long, such as a dump, has them; start again when it is over";

/** The last version of the schema in which a claim was an entry of each part that ran out. */
const WITHOUT_REPLICAS = 1;
const HOLDER = "SELECT replica FROM owner WHERE until > clock_timestamp() FOR UPDATE";
/** The first in which replicas say what they know. */
const WITH_KNOWLEDGE = 3;
/** The first in which a replica is alive while it counts its renewals; before that it says until when it is. */
const WITH_RENEWALS = 6;
const BEHIND = "SELECT id FROM replica WHERE knows < $1 ORDER BY id";
const BEHIND_AND_ALIVE =
  "SELECT id FROM replica WHERE knows < $1 AND until > clock_timestamp() ORDER BY id";

/**
 * Stores `first` with the tables, if it makes them. Answers a sentence with who keeps the database as it is: a process of a
 * version that could not go on, or a transaction.
 *
 * @throws StoreUnusableError when a newer version made the database, which this one cannot work with; what `pg` throws
 */
export async function migrate(
  session: Session,
  { schema, shown }: Settings,
  migrations: readonly Migration[],
  seen: SeenRenewals,
  first?: FirstRecord,
): Promise<string | undefined> {
  const found = await findSchema(session);
  const unreadable = whyUnreadable(found, migrations.length);
  if (unreadable !== undefined) throw new StoreUnusableError(`the database ${shown} ${unreadable}`);
  if (found.version >= migrations.length) return undefined;
  await session.askAll([{ text: "BEGIN" }, { text: LOCK, values: [schema] }, { text: PATIENT }]);
  try {
    await makeSchema(session, schema);
    const holder = await advance(session, schema, migrations, seen, first);
    await session.ask({ text: holder === undefined ? "COMMIT" : "ROLLBACK" });
    return holder;
  } catch (error) {
    if (!isConflict(error) && !isLocked(error)) throw error;
    await session.ask({ text: "ROLLBACK" });
    return TABLES_IN_USE;
  }
}

async function makeSchema(session: Session, schema: string): Promise<void> {
  const found = await session.ask({ text: IS_THERE, values: [schema] });
  // Who may use a schema that is there need not be allowed to make one.
  if (found.rows.length === 0) await session.ask({ text: `CREATE SCHEMA ${schema}` });
  await session.ask({
    text: `CREATE TABLE IF NOT EXISTS ${schema}.migration (
      version integer PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT now())`,
  });
}

/** Makes the missing migrations, and stores `first` with new tables. Answers a sentence with who is in the way, if anybody. */
async function advance(
  session: Session,
  schema: string,
  migrations: readonly Migration[],
  seen: SeenRenewals,
  first?: FirstRecord,
): Promise<string | undefined> {
  const { version } = await findSchema(session);
  const missing = migrations.slice(version);
  if (missing.length === 0) return undefined;
  // One that stands still would go on when it wakes.
  if (version >= WITH_RENEWALS) await bury(session, seen);
  await session.ask({
    text: `ALTER TABLE ${schema}.migration ADD COLUMN IF NOT EXISTS readable_by integer`,
  });
  for (const [at, { sql, readableBy }] of missing.entries()) {
    const before = version + at;
    const holder = await holderOf(session, before, readableBy);
    if (holder !== undefined) return holder;
    await session.run(sql);
    await session.ask({
      text: "INSERT INTO migration (version, readable_by) VALUES ($1, $2)",
      values: [before + 1, readableBy],
    });
  }
  if (version === 0 && first !== undefined) await put(session, first);
  return undefined;
}

async function put(session: Session, { kind, id, record }: FirstRecord): Promise<void> {
  const writes = new RecordWrites();
  writes.set(kind, id, record);
  for (const statement of writes.statements()) await session.ask(statement);
}

/** A sentence with who is there that knows less than is needed. */
async function holderOf(
  session: Session,
  version: number,
  readableBy: number,
): Promise<string | undefined> {
  if (version === WITHOUT_REPLICAS) {
    const { rows } = await session.ask({ text: HOLDER });
    return rows[0] && inUseBy(String(rows[0][0]));
  }
  if (version < WITH_KNOWLEDGE) return undefined;
  const text = version < WITH_RENEWALS ? BEHIND_AND_ALIVE : BEHIND;
  const { rows } = await session.ask({ text, values: [readableBy] });
  if (rows.length === 0) return undefined;
  const names = rows.map(([id]) => String(id)).join(", ");
  return `the database is used by emulators of an older version (${names}), which could not go on with what this version changes; stop them first`;
}
