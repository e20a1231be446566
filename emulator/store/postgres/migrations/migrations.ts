/** The form of what is stored, step by step. */
import { FIRST_SCHEMA } from "./0001-first.ts";
import { REPLICAS } from "./0002-replicas.ts";
import { ROLLING } from "./0003-rolling.ts";
import { WORKER_ADDRESS } from "./0004-worker-address.ts";
import { RECORD_KINDS } from "./0005-record-kinds.ts";
import { SERVICE_TIME } from "./0006-service-time.ts";
import { SEALED_SECRETS } from "./0007-sealed-secrets.ts";

export interface Migration {
  /** Leads here from the one before; empty where the tables stay, and only what is written into them changes. */
  readonly sql: string;
  /**
   * The number of the first migration with which a version goes on working here: it reads whatever later versions write, and
   * loses nothing of it when it writes. It is the migration's own number where no version before can.
   */
  readonly readableBy: number;
}

/** Numbered from 1. Never change one that was released: add another. */
export const MIGRATIONS: readonly Migration[] = [
  { sql: FIRST_SCHEMA, readableBy: 1 },
  { sql: REPLICAS, readableBy: 2 },
  { sql: ROLLING, readableBy: 2 },
  { sql: WORKER_ADDRESS, readableBy: 2 },
  { sql: RECORD_KINDS, readableBy: 5 },
  { sql: SERVICE_TIME, readableBy: 6 },
  { sql: SEALED_SECRETS, readableBy: 7 },
];
