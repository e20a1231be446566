/** Makes the tables of a new database, and refuses a database with other tables. */
import type { DatabaseSync } from "node:sqlite";
import { StoreUnusableError } from "../core/store-error.ts";
import { pragma } from "./row.ts";

/** Marks a database as ours ("svrt"). */
const APPLICATION_ID = 0x73767274;

export interface Schema {
  /** Raised with every change of the tables or of their content. */
  readonly version: number;
  /** Makes all tables and indexes. */
  readonly sql: string;
}

/**
 * Makes the tables in a new database.
 *
 * @param file shown in error messages
 * @throws StoreUnusableError for the database of another program or of another version
 */
export function makeTables(db: DatabaseSync, file: string, schema: Schema): void {
  if (hasTables(db, file, schema)) return;
  db.exec(`BEGIN IMMEDIATE;
    ${schema.sql}
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${schema.version};
    COMMIT;`);
}

/** False for a new database. Changes nothing. Throws as `makeTables` does. */
export function hasTables(db: DatabaseSync, file: string, { version }: Schema): boolean {
  if (pragma(db, "schema_version") === 0) return false;
  if (pragma(db, "application_id") !== APPLICATION_ID) {
    throw new StoreUnusableError(
      `${file} is the database of another program; choose another data directory`,
    );
  }
  const found = pragma(db, "user_version");
  if (found === version) return true;
  const age = found < version ? "an older" : "a newer";
  throw new StoreUnusableError(
    `${file} was written by ${age} version of sv-runtime (its schema is ${found}, this one knows ${version}); ` +
      "use that version or choose another data directory",
  );
}
