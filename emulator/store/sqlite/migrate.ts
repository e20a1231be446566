/** Brings a database to this version's schema, step by step, and refuses one it does not understand. */
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { StoreUnusableError } from "../store.ts";
import { defineChecksumFunctions } from "./checksum-functions.ts";
import { FIRST_SCHEMA } from "./migrations/0001-first.ts";
import { OVERRUN_SCHEMA } from "./migrations/0002-overrun.ts";
import { CHUNK_BATCHES } from "./migrations/0003-chunk-batches.ts";
import { DELIVERIES } from "./migrations/0004-deliveries.ts";
import { REQUESTS_SCHEMA } from "./migrations/0005-requests.ts";
import { TRACEPARENT_SCHEMA } from "./migrations/0006-traceparent.ts";
import { CHECKSUMS } from "./migrations/0007-checksums.ts";
import { integerAt, rowOf } from "./row.ts";

/** The SQL that leads from each version of the schema to the next. Never change one that was released: add another. */
const MIGRATIONS: readonly string[] = [
  FIRST_SCHEMA,
  OVERRUN_SCHEMA,
  CHUNK_BATCHES,
  DELIVERIES,
  REQUESTS_SCHEMA,
  TRACEPARENT_SCHEMA,
  CHECKSUMS,
];

/** From this version of the schema on the database knows how many commits there were. */
export const COUNTED_SINCE = 7;

/** Marks a database as ours ("svrt"). */
const APPLICATION_ID = 0x73767274;

/**
 * Brings the database to the newest schema. `file` is named in the message of an error.
 *
 * @throws StoreUnusableError when the database is another program's, or was written by a newer version of this one.
 */
export function migrate(db: DatabaseSync, file: string, migrations = MIGRATIONS): void {
  const version = checkSchema(db, file, migrations);
  if (version === migrations.length) return;
  defineChecksumFunctions(db, path.dirname(file));
  for (const [index, sql] of migrations.entries()) {
    if (index < version) continue;
    db.exec(`BEGIN IMMEDIATE;
      ${sql}
      PRAGMA application_id = ${APPLICATION_ID};
      PRAGMA user_version = ${index + 1};
      COMMIT;`);
  }
}

/** Answers the version of the schema in the database, 0 if it is empty; changes nothing. Throws as `migrate` does. */
export function checkSchema(db: DatabaseSync, file: string, migrations = MIGRATIONS): number {
  const isEmpty = pragma(db, "schema_version") === 0;
  if (!isEmpty && pragma(db, "application_id") !== APPLICATION_ID) {
    throw new StoreUnusableError(
      `${file} is the database of another program; choose another data directory`,
    );
  }
  const version = pragma(db, "user_version");
  if (version > migrations.length) {
    throw new StoreUnusableError(
      `${file} was written by a newer version of sv-runtime (its schema has version ${version}, this one knows ` +
        `versions up to ${migrations.length}); use that version or choose another data directory`,
    );
  }
  return version;
}

function pragma(
  db: DatabaseSync,
  name: "user_version" | "application_id" | "schema_version",
): number {
  const statement = db.prepare(`PRAGMA ${name}`);
  statement.setReturnArrays(true);
  return integerAt(rowOf(statement.get()), 0);
}
