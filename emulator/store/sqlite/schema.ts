/** The schema of the store's database: every step that led to it, and the functions that the steps need. */
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { checkSchema, migrate } from "../../sqlite/migrate.ts";
import { defineChecksumFunctions } from "./integrity/checksum-functions.ts";
import { FIRST_SCHEMA } from "./migrations/0001-first.ts";
import { OVERRUN_SCHEMA } from "./migrations/0002-overrun.ts";
import { CHUNK_BATCHES } from "./migrations/0003-chunk-batches.ts";
import { DELIVERIES } from "./migrations/0004-deliveries.ts";
import { REQUESTS_SCHEMA } from "./migrations/0005-requests.ts";
import { TRACEPARENT_SCHEMA } from "./migrations/0006-traceparent.ts";
import { CHECKSUMS } from "./migrations/0007-checksums.ts";
import { ATTEMPTS_SCHEMA } from "./migrations/0008-attempts.ts";
import { REPORTS_SCHEMA } from "./migrations/0009-reports.ts";
import { SEALED_SECRETS } from "./migrations/0010-sealed-secrets.ts";

/** The SQL that leads from each version of the schema to the next. Never change one that was released: add another. */
const MIGRATIONS: readonly string[] = [
  FIRST_SCHEMA,
  OVERRUN_SCHEMA,
  CHUNK_BATCHES,
  DELIVERIES,
  REQUESTS_SCHEMA,
  TRACEPARENT_SCHEMA,
  CHECKSUMS,
  ATTEMPTS_SCHEMA,
  REPORTS_SCHEMA,
  SEALED_SECRETS,
];

/** From this version of the schema on the database knows how many commits there were. */
export const COUNTED_SINCE = 7;

/** Brings the store's database in `file` to the newest schema. Throws as `migrate` does. */
export function migrateStore(db: DatabaseSync, file: string): void {
  if (checkSchema(db, file, MIGRATIONS) === MIGRATIONS.length) return;
  defineChecksumFunctions(db, path.dirname(file));
  migrate(db, file, MIGRATIONS);
}

/** Answers the version of the schema of the store's database. Changes nothing. Throws as `migrate` does. */
export function checkStoreSchema(db: DatabaseSync, file: string): number {
  return checkSchema(db, file, MIGRATIONS);
}
