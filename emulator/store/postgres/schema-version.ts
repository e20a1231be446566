/**
 * Makes the tables of a new database, and brings an existing one to this version's schema. One process does this at a time, and
 * the others find it done.
 *
 * During an upgrade replicas of the previous version still work on the migrated tables. Each migration declares the versions that
 * can do this (`readableBy`). It waits while a replica exists that could not read its tables.
 */
import { StoreUnusableError } from "../../core/store-error.ts";
import { removeDead } from "./claim/remove-dead.ts";
import type { SeenRenewals } from "./claim/seen-renewals.ts";
import { isConflict, isLocked, isServerError } from "./connect/postgres-error.ts";
import type { Session } from "./connect/session.ts";
import type { Settings } from "./connect/settings.ts";
import type { FirstRecord } from "./options.ts";
import { type Migration, SCHEMA, SCHEMA_VERSION } from "./schema.ts";
import { RecordWrites } from "./writes/record-writes.ts";

interface FoundSchema {
  /** Number of the schema, or 0 if the database has no tables of sv-runtime. */
  readonly version: number;
  readonly readableBy: number;
}

/** Registration takes the same lock, so no replica can register while this process reads the replicas. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtext('sv-runtime ' || $1))";
const IS_THERE = "SELECT 1 FROM pg_namespace WHERE nspname = $1";
/** The timeout is short, because statements of other processes queue behind a statement that waits for a table. */
const LOCK_TIMEOUT = "SET LOCAL lock_timeout = 300";
const TABLES_IN_USE =
  "the tables of the database must be changed for this version, and a long transaction, such as a dump, has locked them; start again when it is over";
const BEHIND = "SELECT id FROM replica WHERE knows < $1 ORDER BY id";
const FIND =
  "SELECT coalesce(max(version), 0), coalesce(max(coalesce(readable_by, version)), 0) FROM migration";
const NO_SUCH_TABLE = "42P01";
/** The first schemas do not have the column `readable_by`. */
const NO_SUCH_COLUMN = "42703";

/** Highest schema that a version with these migrations knows. */
export function knownVersion(migrations: readonly Migration[]): number {
  return SCHEMA_VERSION + migrations.length;
}

/** Returns a reason if a version that knows the schema `knows` cannot work with the database. Throws what `pg` throws. */
export async function whyUnreadable(session: Session, knows: number): Promise<string | undefined> {
  return reasonAgainst(await findSchema(session), knows);
}

function reasonAgainst({ version, readableBy }: FoundSchema, knows: number): string | undefined {
  if (version > 0 && version < SCHEMA_VERSION)
    return `was written by an older version of sv-runtime (its schema is ${version}, this one knows ${knows}); use that version, or name another database or schema`;
  if (readableBy <= knows) return undefined;
  return `was written by a newer version of sv-runtime (its schema is ${version}, which needs a version that knows schema ${readableBy}; this one knows ${knows})`;
}

async function findSchema(session: Session): Promise<FoundSchema> {
  try {
    const { rows } = await session.ask({ text: FIND });
    const [version, readableBy] = rows[0] ?? [];
    return { version: Number(version), readableBy: Number(readableBy) };
  } catch (error) {
    if (isServerError(error) && error.code === NO_SUCH_TABLE) return { version: 0, readableBy: 0 };
    if (isServerError(error) && error.code === NO_SUCH_COLUMN) return { version: 1, readableBy: 1 };
    throw error;
  }
}

/**
 * Makes or migrates the tables. Stores `first` with new tables. Returns the reason if the database cannot be migrated now:
 * replicas of a version that could not continue, or a long transaction.
 *
 * @throws StoreUnusableError for the database of a version that this one cannot work with; what `pg` throws
 */
export async function makeSchema(
  session: Session,
  { schema, shown }: Settings,
  migrations: readonly Migration[],
  seen: SeenRenewals,
  first?: FirstRecord,
): Promise<string | undefined> {
  const knows = knownVersion(migrations);
  const found = await findSchema(session);
  const reason = reasonAgainst(found, knows);
  if (reason !== undefined) throw new StoreUnusableError(`the database ${shown} ${reason}`);
  if (found.version >= knows) return undefined;
  const begin = [{ text: "BEGIN" }, { text: LOCK, values: [schema] }, { text: LOCK_TIMEOUT }];
  await session.askAll(begin);
  try {
    await makeTables(session, schema, first);
    const obstacle = await migrate(session, migrations, seen);
    await session.ask({ text: obstacle === undefined ? "COMMIT" : "ROLLBACK" });
    return obstacle;
  } catch (error) {
    if (!isConflict(error) && !isLocked(error)) throw error;
    await session.ask({ text: "ROLLBACK" });
    return TABLES_IN_USE;
  }
}

/** Does nothing if the tables exist. */
async function makeTables(session: Session, schema: string, first?: FirstRecord): Promise<void> {
  const found = await session.ask({ text: IS_THERE, values: [schema] });
  // A user who may use an existing schema is not necessarily allowed to make one.
  if (found.rows.length === 0) await session.ask({ text: `CREATE SCHEMA ${schema}` });
  await session.ask({
    text: `CREATE TABLE IF NOT EXISTS ${schema}.migration (
      version integer PRIMARY KEY, readable_by integer, made_at timestamptz NOT NULL DEFAULT now())`,
  });
  if ((await findSchema(session)).version > 0) return;
  await session.run(SCHEMA);
  await note(session, SCHEMA_VERSION, SCHEMA_VERSION);
  if (first === undefined) return;
  const writes = new RecordWrites();
  writes.set(first.kind, first.id, first.record);
  for (const statement of writes.statements()) await session.ask(statement);
}

/** Runs the missing migrations. Returns a sentence that names the replicas in the way, if there are any. */
async function migrate(
  session: Session,
  migrations: readonly Migration[],
  seen: SeenRenewals,
): Promise<string | undefined> {
  const { version } = await findSchema(session);
  const missing = migrations.slice(version - SCHEMA_VERSION);
  // A suspended replica would continue when it wakes up.
  if (missing.length > 0) await removeDead(session, seen);
  for (const [at, { sql, readableBy }] of missing.entries()) {
    const { rows } = await session.ask({ text: BEHIND, values: [readableBy] });
    if (rows.length > 0) {
      const names = rows.map(([id]) => String(id)).join(", ");
      return `the database is used by emulators of an older version (${names}), which cannot work with this version's tables; stop them first`;
    }
    await session.run(sql);
    await note(session, version + at + 1, readableBy);
  }
  return undefined;
}

async function note(session: Session, version: number, readableBy: number): Promise<void> {
  const text = "INSERT INTO migration (version, readable_by) VALUES ($1, $2)";
  await session.ask({ text, values: [version, readableBy] });
}
