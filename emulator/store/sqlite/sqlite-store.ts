/** The store on disk: a SQLite database and, beside it, files for large payloads. */
import { committedView } from "../committed-view.ts";
import { StepQueue, storeClosed } from "../step-queue.ts";
import type { Clock } from "../../core/time/clock.ts";
import {
  type Payload,
  type PayloadDamage,
  PayloadDamagedError,
  type Store,
  type StoreView,
} from "../store.ts";
import { StoreDamagedError, type StoreLostError } from "../../core/store-error.ts";
import { Connection } from "./connection.ts";
import { DataCheck } from "./integrity/data-check.ts";
import type { FoundPayload } from "./integrity/find-damage.ts";
import { openDatabase, type OpenedDatabase } from "./files/data-directory.ts";
import { FreeSpace } from "./free-space.ts";
import { PayloadFiles } from "./files/payload-files.ts";
import { RemovalWatch } from "./files/removal-watch.ts";
import { SqliteTransaction } from "./sqlite-transaction.ts";
import { SqliteView } from "./sqlite-view.ts";
import { Tables } from "./tables/tables.ts";

/** Above this, writing a file costs less than writing the bytes twice through the database, and blocks nobody. */
const PAYLOAD_FILE_MIN_BYTES = 256_000;

export interface SqliteStoreOptions {
  /** The data directory; made, for this user only, if it does not exist. */
  readonly directory: string;
  /** Called after each commit to the disk with the number of steps that shared it and how long it took; must not throw. */
  readonly onCommit?: (steps: number, durationMs: number) => void;
  /** Called once, when the store was found damaged, after which it does nothing more; must not throw. */
  readonly onDamage?: (damage: StoreDamagedError) => void;
  /** Real time, by which now and then the directory is looked for and free space given back; by default neither is done. */
  readonly clock?: Clock;
  /** Called when the directory is gone, and with undefined when it is back; must not throw. */
  readonly onRemoval?: (lost: StoreLostError | undefined) => void;
}

/**
 * Opens the store of a data directory.
 *
 * @throws StoreInUseError when another emulator uses the directory; StoreUnusableError when it cannot be used: not
 *   writable, a file in its place, damaged, or written by a newer version; StoreFullError when there is no room for a new
 *   one, or to bring one of an earlier version to the form of this one.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const opened = openDatabase(options.directory);
  try {
    return await storeOn(opened, options);
  } catch (error) {
    opened.close();
    throw error;
  }
}

async function storeOn(opened: OpenedDatabase, options: SqliteStoreOptions): Promise<Store> {
  const files = new PayloadFiles(options.directory);
  const tables = new Tables(new Connection(opened.db, opened.file), files, opened.mark);
  // Of these, what no row refers to is what a crash left between writing and committing.
  const found = await files.names();
  const queue = new StepQueue<SqliteTransaction>(stepTarget(tables, options));
  const check = new DataCheck(opened.db, opened.file);
  const { clock, onRemoval = () => undefined } = options;
  const removalWatch = clock && new RemovalWatch(opened.file, clock, onRemoval);
  const freeSpace =
    clock && new FreeSpace(opened.db, clock, () => check.isLooking || queue.running !== undefined);
  let closing: Promise<void> | undefined;
  const close = async () => {
    const drained = queue.close();
    await check.stop();
    await drained;
    freeSpace?.stop();
    await Promise.all([removalWatch?.stop(), files.settle()]);
    opened.close();
  };
  const stage = async (parts: readonly Uint8Array[]) => {
    if (queue.closed) throw storeClosed();
    if (removalWatch?.lost) throw removalWatch.lost;
    return stageParts(files, parts);
  };
  const soundness = new Soundness(options.onDamage);
  return {
    transact: (step) =>
      soundness.guard(async () => {
        if (removalWatch?.lost) throw removalWatch.lost;
        return queue.transact(step);
      }),
    read: (query) => soundness.guard(() => readCommitted(tables, queue, query)),
    async stage(bytes): Promise<Payload> {
      const [payload] = await stage([bytes]);
      return payload ?? { kind: "inline", bytes };
    },
    stageChunks: stage,
    async discard(payload) {
      if (payload.kind === "file") await files.staged.discard(payload);
    },
    check: () =>
      soundness.guard(async () => {
        while (queue.running !== undefined) await queue.running;
        const payloads = await check.look();
        if (payloads !== undefined) await tables.removeUnreferred(found);
        return (payloads ?? []).map(toDamage);
      }),
    close: () => (closing ??= close()),
  };
}

/** Whether the store can be relied on. Once it was seen damaged nothing is done any more, lest the damage spread. */
class Soundness {
  #damage: StoreDamagedError | undefined;
  readonly #onDamage: ((damage: StoreDamagedError) => void) | undefined;

  constructor(onDamage?: (damage: StoreDamagedError) => void) {
    this.#onDamage = onDamage;
  }

  /** Does the work unless damage was seen before, and sees it in what the work throws. @throws StoreDamagedError */
  async guard<T>(work: () => Promise<T>): Promise<T> {
    if (this.#damage) throw this.#damage;
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreDamagedError) this.report(error);
      throw error;
    }
  }

  report(damage: StoreDamagedError): void {
    if (this.#damage) return;
    this.#damage = damage;
    this.#onDamage?.(damage);
  }
}

async function readCommitted<T>(
  tables: Tables,
  queue: StepQueue<SqliteTransaction>,
  query: (view: StoreView) => Promise<T>,
): Promise<T> {
  if (queue.closed) throw storeClosed();
  const view = new SqliteView(tables);
  try {
    return await query(committedView(view, queue));
  } finally {
    view.end();
  }
}

/** Together they are a file or none of them is. */
async function stageParts(files: PayloadFiles, parts: readonly Uint8Array[]): Promise<Payload[]> {
  const sizeBytes = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  if (sizeBytes < PAYLOAD_FILE_MIN_BYTES) return parts.map((bytes) => ({ kind: "inline", bytes }));
  return (await files.stage(parts)).map((range) => ({ kind: "file", ...range }));
}

function toDamage({ place, finding, checksum, jobId }: FoundPayload): PayloadDamage {
  return { damage: new PayloadDamagedError(place, finding, { checksum }), jobId };
}

function stepTarget(tables: Tables, { onCommit }: SqliteStoreOptions) {
  return {
    beginStep: () => new SqliteTransaction(tables),
    keepStep(tx: SqliteTransaction) {
      tx.end();
      tables.keepStep();
    },
    undoStep(tx: SqliteTransaction) {
      tx.end();
      tables.undoStep();
    },
    commit(steps: number) {
      const startedAt = performance.now();
      if (tables.commit()) onCommit?.(steps, performance.now() - startedAt);
    },
    abort: () => tables.abort(),
  };
}
