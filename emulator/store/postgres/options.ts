/** What the store on PostgreSQL is opened with. */
import type { Clock } from "../../core/time/clock.ts";
import type { Change } from "../batch.ts";
import type { Blobs } from "../blobs/blobs.ts";
import type { StoreDamagedError, StoreLostError } from "../../core/store-error.ts";
import type { Migration } from "./schema.ts";

export type FirstRecord = Extract<Change, { readonly type: "put-record" }>;

export interface PostgresStoreOptions {
  /**
   * `postgres://user:password@host:port/database?…`, as `pg` reads it; `sslmode` and certificates among it. `schema` names the
   * schema that holds the tables, by default `sv_runtime`. Connect directly: a pooler that shares connections is not supported.
   */
  readonly url: string;
  /** Where payloads over 256 kB lie; without it they lie in the database. It is closed with the store. */
  readonly blobs?: Blobs;
  /** Names this process to others who want the same database. No two processes may ever have the same. */
  readonly replica: string;
  /**
   * The URL at which other processes reach this one. Given, they may use the database as well, each for a share of all
   * endpoints; without it the process wants the database for itself.
   */
  readonly advertise?: string | undefined;
  /** Where workers from elsewhere reach this process, for the others to tell them; absent: they do not. */
  readonly workerAddress?: string | undefined;
  /** That of sv-runtime, which the others are told; by default none. */
  readonly version?: string;
  /** Real time, monotonic. */
  readonly clock: Clock;
  /** The wall clock of the machine, ms; default `Date.now`. */
  readonly wall?: () => number;
  /** Called after each commit with how long the batch took, from the first byte to the answer; must not throw. */
  readonly onCommit?: (durationMs: number) => void;
  /** Called once, when the store was found damaged, after which it does nothing more; must not throw. */
  readonly onDamage?: (damage: StoreDamagedError) => void;
  /** Called once, when another process has taken the database over, after which the store does nothing more; must not throw. */
  readonly onLost?: (lost: StoreLostError) => void;
  /** Called when the database cannot be reached, and with undefined when it can be again; must not throw. */
  readonly onRemoval?: (away: Error | undefined) => void;
  /** Called with sentences for the log; must not throw. */
  readonly warn?: (sentence: string) => void;
  /** Called now and then with how old the oldest snapshot is that someone holds, ms; must not throw. */
  readonly onSnapshotAge?: (ageMs: number) => void;
  /** Stored in one transaction with the tables, where there are none yet. */
  readonly firstRecord?: FirstRecord;
  /** By default those of this version. */
  readonly migrations?: readonly Migration[];
  /** By default those of `TIMES`. */
  readonly times?: Partial<Times>;
  /** By default those of `PAGES`. */
  readonly pages?: Partial<Pages>;
}

/** Maximum rows of one question; a longer answer takes several. */
export interface Pages {
  /** Jobs with failures that are searched, which may be long. */
  readonly searched: number;
}

export const PAGES: Pages = { searched: 20 };

/** All in ms. */
export interface Times {
  /** Who has not renewed its claim for so long may lose it. */
  readonly lease: number;
  readonly renewEvery: number;
  /** It is trusted for so much less than the lease, for what is on its way when it ends. */
  readonly margin: number;
  /** Parts are moved to who has been there for so long. */
  readonly settle: number;
  /** A part that nobody has for so long is anybody's to take. */
  readonly leftOver: number;
  /** So long a batch or a question waits for a database that cannot be reached. */
  readonly patience: number;
  /** Between two attempts to reach it. */
  readonly retry: number;
  /** A server that does not answer for so long is not there. */
  readonly answer: number;
  /** The same of a batch, which is then tried once more over another connection: `patience` has to be longer. */
  readonly batch: number;
  readonly lookAtSnapshotsEvery: number;
  /** A snapshot that is held for so long is warned of. */
  readonly oldSnapshot: number;
  /** What is told on a connection comes back on it within this time. */
  readonly echo: number;
}

export const TIMES: Times = {
  lease: 5_000,
  renewEvery: 1_000,
  margin: 500,
  settle: 3_000,
  leftOver: 1_000,
  patience: 20_000,
  retry: 200,
  answer: 30_000,
  batch: 10_000,
  lookAtSnapshotsEvery: 10_000,
  oldSnapshot: 60_000,
  echo: 2_000,
};
