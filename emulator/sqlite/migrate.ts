/** Brings a database to this version's schema, step by step, and refuses one that it does not understand. */
import type { DatabaseSync } from "node:sqlite";
import { StoreUnusableError } from "../core/store-error.ts";
import { pragma } from "./row.ts";

/** Marks a database as ours ("svrt"). */
const APPLICATION_ID = 0x73767274;

/**
 * Brings the database to the newest schema, step by step; one that is new at once. `file` is named in the message of an error.
 *
 * @param migrations the SQL that leads from each version of the schema to the next
 *
 * @throws StoreUnusableError when the database is another program's, or was written by a newer version of this one.
 */
export function migrate(db: DatabaseSync, file: string, migrations: readonly string[]): void {
  const version = checkSchema(db, file, migrations);
  if (version === migrations.length) return;
  // One that is new is made in one commit, for each waits for the disk.
  if (version === 0) commitSteps(db, migrations, migrations.length);
  else
    for (let to = version + 1; to <= migrations.length; to += 1)
      commitSteps(db, migrations.slice(to - 1, to), to);
}

function commitSteps(db: DatabaseSync, steps: readonly string[], version: number): void {
  db.exec(`BEGIN IMMEDIATE;
    ${steps.join("\n")}
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${version};
    COMMIT;`);
}

/** Answers the version of the schema in the database, 0 if it is empty; changes nothing. Throws as `migrate` does. */
export function checkSchema(db: DatabaseSync, file: string, migrations: readonly string[]): number {
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
