/** Options of the store on PostgreSQL. */
import type { Clock } from "../../core/time/clock.ts";
import type { Change } from "../batch.ts";
import type { Blobs } from "../blobs/blobs.ts";
import type { StoreDamagedError, StoreLostError } from "../../core/store-error.ts";
import type { Migration } from "./schema.ts";

export type FirstRecord = Extract<Change, { readonly type: "put-record" }>;

export interface PostgresStoreOptions {
  /**
   * `postgres://user:password@host:port/database?…`, as `pg` reads it, with `sslmode` and certificates. `schema` names the schema
   * of the tables, by default `sv_runtime`. Connect directly: a pooler that shares connections is not supported.
   */
  readonly url: string;
  /** Bucket for payloads over 256 kB. Default: the database. The bucket is closed with the store. */
  readonly blobs?: Blobs;
  /** Name of this process for other processes of the same database. It must be unique for ever. */
  readonly replica: string;
  /**
   * URL at which other processes reach this one. With it, several processes may share the database, each for some partitions of
   * the endpoints. Without it this process is the only replica.
   */
  readonly advertise?: string | undefined;
  /** Address at which workers of other machines reach this process. Other replicas pass it on. Default: none. */
  readonly workerAddress?: string | undefined;
  /** Version of sv-runtime, which other replicas can read. Default: none. */
  readonly version?: string;
  /** Real time, monotonic. */
  readonly clock: Clock;
  /** The wall clock of the machine, ms. Default: `Date.now`. */
  readonly wall?: () => number;
  /** Called after each commit with the duration of the batch, from the first byte to the answer. Must not throw. */
  readonly onCommit?: (durationMs: number) => void;
  /** Called once, when damage is found. The store does nothing afterwards. Must not throw. */
  readonly onDamage?: (damage: StoreDamagedError) => void;
  /** Called once, when another process has taken the database over. The store does nothing afterwards. Must not throw. */
  readonly onLost?: (lost: StoreLostError) => void;
  /** Called with an error when the database is unreachable, and with undefined when it is reachable again. Must not throw. */
  readonly onRemoval?: (away: Error | undefined) => void;
  /** Called with sentences for the log. Must not throw. */
  readonly warn?: (sentence: string) => void;
  /** Called from time to time with the age of the oldest snapshot in the database, ms. Must not throw. */
  readonly onSnapshotAge?: (ageMs: number) => void;
  /** Stored in one transaction with new tables. */
  readonly firstRecord?: FirstRecord;
  readonly migrations?: readonly Migration[];
  readonly times?: Partial<Times>;
  /** Maximum number of jobs of one query that searches failures, which may be long. Default: 20. */
  readonly searchPage?: number;
}

/** All times in ms. */
export interface Times {
  /** Time without a renewal after which a replica may lose its claim. */
  readonly lease: number;
  readonly renewEvery: number;
  /** Time before the end of the lease at which a replica stops relying on it, because messages may be on their way. */
  readonly margin: number;
  /** Time after which a new replica gets partitions of others. */
  readonly settle: number;
  /** Time after which any replica may take a partition without an owner. */
  readonly leftOver: number;
  /** Maximum time that a batch or a query waits for an unreachable database. */
  readonly reconnectFor: number;
  /** Interval between two attempts to reach the database. */
  readonly retry: number;
  readonly answer: number;
  /** Timeout of a batch, which is then retried over another connection. `reconnectFor` must be longer. */
  readonly batch: number;
  readonly lookAtSnapshotsEvery: number;
  /** Minimum age of a snapshot that causes a warning. */
  readonly oldSnapshot: number;
  /** Timeout of the echo of a notice. */
  readonly echo: number;
}

export const TIMES: Times = {
  lease: 5_000,
  renewEvery: 1_000,
  margin: 500,
  settle: 3_000,
  leftOver: 1_000,
  reconnectFor: 20_000,
  retry: 200,
  answer: 30_000,
  batch: 10_000,
  lookAtSnapshotsEvery: 10_000,
  oldSnapshot: 60_000,
  echo: 2_000,
};
