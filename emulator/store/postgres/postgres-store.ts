/**
 * The store in a PostgreSQL database, which one process at a time owns: it writes over one connection and reads over a few
 * others.
 */
import { StoreClosedError, StoreDamagedError } from "../../core/store-error.ts";
import { HOW_TO_GO_ON } from "../../sqlite/row.ts";
import type { Batch } from "../batch.ts";
import type { Payload, PayloadDamage } from "../payload.ts";
import { Soundness } from "../soundness.ts";
import type { Store } from "../store.ts";
import { Claim } from "./claim/claim.ts";
import { Keeper } from "./claim/keeper.ts";
import { SnapshotWatch } from "./claim/snapshot-watch.ts";
import { waitForClaim } from "./claim/wait-for-claim.ts";
import { checkServer } from "./connect/check-server.ts";
import { Patience } from "./connect/patience.ts";
import { fromPostgres } from "./connect/postgres-error.ts";
import { SessionPool } from "./connect/session-pool.ts";
import { Session } from "./connect/session.ts";
import { settingsOf } from "./connect/settings.ts";
import { migrate } from "./migrations/migrate.ts";
import { type PostgresStoreOptions, type Times, TIMES } from "./options.ts";
import { readQueues } from "./reads/boot-reads.ts";
import { PostgresReads } from "./reads/postgres-reads.ts";
import { readProgress } from "./writes/progress.ts";
import { Queues } from "./writes/queues.ts";
import { Writer } from "./writes/writer.ts";

const nothing = () => undefined;

/**
 * Opens the store of a database, and makes its tables if they are not there.
 *
 * @throws StoreInUseError when another process owns it and goes on renewing its claim; StoreUnusableError when it cannot be
 *   reached, must not be used, cannot keep what it acknowledges, or was written by a newer version; StoreFullError when there
 *   is no room.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const times = { ...TIMES, ...options.times };
  const { url, replica, clock, warn = nothing, onLost = nothing } = options;
  const settings = settingsOf(url, replica, times.lease);
  const { shown } = settings;
  const open = () => Session.open(settings, times.answer);
  let session: Session | undefined;
  try {
    session = await open();
    await checkServer(session, settings, warn);
    await migrate(session, settings);
    const claim = new Claim(replica, times.lease, onLost);
    await waitForClaim(claim, session, clock, times.lease);
    const stored = await readProgress(session);
    const queues = new Queues(
      (await readQueues(session)).map(({ key, endpointId }) => [key, endpointId]),
    );
    const { onCommit = nothing, onRemoval = nothing, onSnapshotAge = nothing } = options;
    const common = { open, claim, clock, times, shown };
    const writer = new Writer({ ...common, queues, onCommit }, session, stored);
    const everyMs = times.lookAtSnapshotsEvery;
    const snapshots = new SnapshotWatch({ clock, everyMs, warn, onAge: onSnapshotAge });
    const keeper = new Keeper({ ...common, snapshots, onRemoval });
    return new PostgresStore({ ...common, options, queues, writer, keeper, times });
  } catch (error) {
    session?.drop();
    throw withOwnHint(fromPostgres(error, shown));
  }
}

interface StoreParts {
  readonly options: PostgresStoreOptions;
  readonly times: Times;
  readonly open: () => Promise<Session>;
  readonly claim: Claim;
  readonly queues: Queues;
  readonly writer: Writer;
  readonly keeper: Keeper;
  readonly shown: string;
}

class PostgresStore extends PostgresReads implements Store {
  readonly #parts: StoreParts;
  readonly #pool: SessionPool;
  readonly #soundness: Soundness;
  readonly #ending = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(parts: StoreParts) {
    super(parts.queues);
    this.#parts = parts;
    this.#pool = new SessionPool(parts.open);
    this.#soundness = new Soundness(parts.options.onDamage);
  }

  flush(batch: Batch): Promise<void> {
    return this.#guard(() => this.#parts.writer.flush(batch));
  }

  async stage(parts: readonly Uint8Array[]): Promise<readonly Payload[]> {
    this.#refuseUseless();
    return parts.map((bytes) => ({ kind: "inline", bytes }));
  }

  async discard(): Promise<void> {}

  async check(): Promise<readonly PayloadDamage[]> {
    return [];
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  protected override ask<T>(question: (session: Session) => Promise<T>): Promise<T> {
    const { options, times, shown } = this.#parts;
    return this.#guard(async () => {
      const patience = new Patience(options.clock, times, this.#ending.signal);
      try {
        return await this.#pool.use(question, patience);
      } catch (error) {
        throw fromPostgres(error, shown);
      }
    });
  }

  #guard<T>(work: () => Promise<T>): Promise<T> {
    return this.#soundness.guard(async () => {
      this.#refuseUseless();
      try {
        return await work();
      } catch (error) {
        throw withOwnHint(error);
      }
    });
  }

  #refuseUseless(): void {
    if (this.#closing !== undefined) throw new StoreClosedError();
    if (this.#parts.claim.lost) throw this.#parts.claim.lost;
  }

  async #close(): Promise<void> {
    const { keeper, writer } = this.#parts;
    this.#ending.abort();
    await Promise.all([this.#pool.close(), keeper.close()]);
    await writer.close();
  }
}

/** What is said of damage elsewhere ends with a command that is about SQLite. */
function withOwnHint(error: unknown): unknown {
  if (!(error instanceof StoreDamagedError)) return error;
  const message = error.message.replace(HOW_TO_GO_ON, "stop the emulator and restore a backup");
  return new StoreDamagedError(message, { cause: error });
}
