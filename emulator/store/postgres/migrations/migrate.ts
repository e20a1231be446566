/**
 * Brings the schema of a database to this version's form. One process at a time does; the others find it done.
 *
 * While versions are changed one process after another, some of the version before still work on what a migration has made:
 * one may add what the version before does not look at, and may take away only what that one no longer uses.
 */
import { StoreUnusableError } from "../../../core/store-error.ts";
import { isServerError } from "../connect/postgres-error.ts";
import { inUseBy } from "../claim/registration.ts";
import type { Session } from "../connect/session.ts";
import type { Settings } from "../connect/settings.ts";
import { FIRST_SCHEMA } from "./0001-first.ts";
import { REPLICAS } from "./0002-replicas.ts";

/** The SQL that leads from each version of the schema to the next. Never change one that was released: add another. */
const MIGRATIONS: readonly string[] = [FIRST_SCHEMA, REPLICAS];

const LOCK = "SELECT pg_advisory_xact_lock(hashtext('sv-runtime ' || $1))";
const IS_THERE = "SELECT 1 FROM pg_namespace WHERE nspname = $1";

const VERSION = "SELECT coalesce(max(version), 0) FROM migration";
const NO_SUCH_TABLE = "42P01";

/** The last version of the schema in which a claim was an entry of each part that ran out. */
const WITHOUT_REPLICAS = 1;
const HOLDER = "SELECT replica FROM owner WHERE until > clock_timestamp() FOR UPDATE";

/**
 * Answers a sentence with who keeps the database as it is: a process of a version that knows of no other beside it.
 *
 * @throws StoreUnusableError when a newer version made the database; what `pg` throws
 */
export async function migrate(session: Session, settings: Settings): Promise<string | undefined> {
  if ((await versionOf(session)) === MIGRATIONS.length) return undefined;
  const { schema, shown } = settings;
  await session.askAll([{ text: "BEGIN" }, { text: LOCK, values: [schema] }]);
  const found = await session.ask({ text: IS_THERE, values: [schema] });
  // Who may use a schema that is there need not be allowed to make one.
  if (found.rows.length === 0) await session.ask({ text: `CREATE SCHEMA ${schema}` });
  await session.ask({
    text: `CREATE TABLE IF NOT EXISTS ${schema}.migration (
      version integer PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT now())`,
  });
  const version = await versionOf(session);
  if (version > MIGRATIONS.length) {
    await session.ask({ text: "ROLLBACK" });
    throw new StoreUnusableError(
      `the database ${shown} was written by a newer version of sv-runtime (its schema is ${version}, this version knows ${MIGRATIONS.length})`,
    );
  }
  const held = version === WITHOUT_REPLICAS ? await session.ask({ text: HOLDER }) : undefined;
  const holder = held?.rows[0]?.[0];
  if (holder !== undefined) {
    await session.ask({ text: "ROLLBACK" });
    return inUseBy(String(holder));
  }
  for (const [at, migration] of MIGRATIONS.entries()) {
    if (at < version) continue;
    await session.run(migration);
    await session.ask({ text: "INSERT INTO migration VALUES ($1)", values: [at + 1] });
  }
  await session.ask({ text: "COMMIT" });
  return undefined;
}

/** 0 where there is no schema of ours. */
async function versionOf(session: Session): Promise<number> {
  try {
    const { rows } = await session.ask({ text: VERSION });
    return Number(rows[0]?.[0] ?? 0);
  } catch (error) {
    if (isServerError(error) && error.code === NO_SUCH_TABLE) return 0;
    throw error;
  }
}
