/**
 * The store in a PostgreSQL database, with one replica or several. Each replica writes over one connection, renews its claim over
 * another and reads over a few others.
 */
import { StoreClosedError, StoreUnusableError } from "../../core/store-error.ts";
import type { Batch } from "../batch.ts";
import type { FileContent } from "../stored-bytes.ts";
import type { Payload, PayloadDamage } from "../payload.ts";
import type { Ownership } from "../ownership.ts";
import { DamageGuard } from "../damage-guard.ts";
import { StagedFiles } from "../staged-files.ts";
import type { Boot, Store } from "../store.ts";
import { WorkUnderWay } from "../work-under-way.ts";
import { Claim, waitForClaim } from "./claim/claim.ts";
import { ClaimRenewal } from "./claim/claim-renewal.ts";
import { ALL_PARTITIONS } from "./claim/partitions.ts";
import { SnapshotWatch } from "./claim/snapshot-watch.ts";
import { ServiceTime } from "./claim/service-time.ts";
import { ClaimValidity } from "./claim/claim-validity.ts";
import { checkServer } from "./connect/check-server.ts";
import { ReconnectWait, withReconnects } from "./connect/reconnect-wait.ts";
import { fromPostgres, withOwnAdvice } from "./connect/postgres-error.ts";
import { sessionOpener, SessionPool } from "./connect/session-pool.ts";
import type { Session } from "./connect/session.ts";
import { type Settings, settingsOf } from "./connect/settings.ts";
import { hasLargePayloads, unreferred } from "./large/dropped-names.ts";
import { LargePayloads } from "./large/large-payloads.ts";
import { MIGRATIONS } from "./schema.ts";
import { knownVersion, makeSchema } from "./schema-version.ts";
import { type PostgresStoreOptions, type Times, TIMES } from "./options.ts";
import { readBoot } from "./reads/boot-reads.ts";
import { PostgresReads } from "./reads/postgres-reads.ts";
import { shareDatabase } from "./share/share-database.ts";
import { readQueues, Queues } from "./writes/queues.ts";
import { Writer } from "./writes/writer.ts";

const nothing = () => undefined;

const SEARCH_PAGE = 20;
/** Maximum difference between the service times of replicas. */
const SKEW_MS = 60_000;

const SWEPT_AFTER_MS = 24 * 3_600_000;
/** Number of blobs in one step of the sweep. */
const SWEPT_AT_ONCE = 100;
/** Refuses every staged payload, because there is no bucket. */
const NOTHING_STAGED = new StagedFiles(async () => undefined);
const NO_OBJECTS =
  "large payloads of the database are in an object store, and none was named; start the emulator with the object store that it used before";

/** `ownership` is defined if other replicas may share the database. An only replica claims all partitions for good. */
export type PostgresStore = Store & {
  readonly ownership: Ownership | undefined;
  readonly serviceTime: ServiceTime;
};

/**
 * Opens the store of a database, and makes missing tables.
 *
 * @throws StoreInUseError when another process has a claim to the database; StoreUnusableError when the database cannot be
 *   reached, must not be used, cannot keep acknowledged data, or was written by another version; StoreFullError when there
 *   is no room.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const times = { ...TIMES, ...options.times };
  const { url, replica, clock, wall = Date.now, warn = nothing, onLost = nothing } = options;
  const settings = settingsOf(url, replica, times.lease);
  const open = sessionOpener(settings, times.answer, clock, warn);
  const time = new ServiceTime({ clock, wall, warn });
  const start = async (session: Session): Promise<PostgresStore> => {
    await checkServer(session, settings, warn);
    const { advertise: address, workerAddress, version = "", migrations = MIGRATIONS } = options;
    const validity = new ClaimValidity(clock, times);
    const known = { knows: knownVersion(migrations), leaseMs: times.lease };
    const who = { id: replica, address, workerAddress, version, ...known };
    const claim = new Claim(who, { validity, time }, onLost);
    const made = () => makeSchema(session, settings, migrations, claim.seen, options.firstRecord);
    await waitForClaim(made, clock, times.lease);
    if (options.blobs === undefined && (await hasLargePayloads(session)))
      throw new StoreUnusableError(NO_OBJECTS);
    await waitForClaim(() => claim.enter(session), clock, times.lease);
    const queues = new Queues(claim.isShared);
    if (!claim.isShared) queues.add(await readQueues(session));
    return new OpenedStore({ options, settings, open, claim, queues, times }, session);
  };
  try {
    return await withReconnects(
      open,
      start,
      () => new ReconnectWait(clock, times, AbortSignal.any([])),
    );
  } catch (error) {
    time.clock.close();
    throw withOwnAdvice(fromPostgres(error, settings.shown));
  }
}

interface StoreParts {
  readonly options: PostgresStoreOptions;
  readonly settings: Settings;
  readonly times: Times;
  readonly open: (answerMs?: number) => Promise<Session>;
  readonly claim: Claim;
  readonly queues: Queues;
}

class OpenedStore extends PostgresReads implements PostgresStore {
  readonly ownership: Ownership | undefined;
  readonly serviceTime: ServiceTime;
  readonly #parts: StoreParts;
  readonly #share: ReturnType<typeof shareDatabase>;
  readonly #writer: Writer;
  readonly #renewal: ClaimRenewal;
  readonly #pool: SessionPool;
  readonly #damage: DamageGuard;
  readonly #ending = new AbortController();
  readonly #large: LargePayloads | undefined;
  readonly #removals = new WorkUnderWay();
  #closing: Promise<void> | undefined;

  /** @param session connection without unfinished work */
  constructor(parts: StoreParts, session: Session) {
    const { options, settings, claim, queues, times, open } = parts;
    super(queues, {
      partitions: () => claim.held.kept,
      skewMs: claim.isShared ? SKEW_MS : 0,
      searchPage: options.searchPage ?? SEARCH_PAGE,
    });
    this.#parts = parts;
    this.serviceTime = claim.time;
    this.#pool = new SessionPool(open);
    const { blobs, clock, warn = nothing, onCommit = nothing } = options;
    this.#large = blobs && new LargePayloads(blobs);
    this.#damage = new DamageGuard(options.onDamage);
    const share = shareDatabase({
      ...{ options, settings, times, claim, queues },
      ask: (question) => this.ask(question),
      guard: (work) => this.#damage.guard(work),
      renewal: () => this.#renewal,
    });
    this.#share = share;
    this.ownership = claim.isShared ? share.ownership : undefined;
    const common = { claim, clock, times, shown: settings.shown };
    this.#writer = new Writer(
      {
        ...{ ...common, open, queues, onCommit, hasLarge: blobs !== undefined },
        tellRecords: share.tellRecords,
        changeRecords: (batch, store) => share.records.store(batch, store),
      },
      session,
    );
    const { onRemoval = nothing, onSnapshotAge = nothing } = options;
    this.#renewal = new ClaimRenewal({
      ...{ ...common, onRemoval, warn },
      snapshots: new SnapshotWatch({ clock, times, warn, onAge: onSnapshotAge }),
      // A renewal must not take longer than the lease.
      open: () => open(times.lease),
      renew: (on) => share.ownership.renew(on),
      connected: (to) => share.notices.hearBy(to),
    });
  }

  async boot(): Promise<Boot> {
    const { claim, queues } = this.#parts;
    const { slot } = claim.atStart;
    const partitions = claim.isShared ? [] : ALL_PARTITIONS;
    const boot = await this.ask((session) => readBoot(session, queues, slot, partitions));
    this.#share.records.begin(boot.recordsVersion);
    return boot;
  }

  flush(batch: Batch): Promise<void> {
    return this.#guard(async () => {
      const staged = this.#large?.staged ?? NOTHING_STAGED;
      const names = await staged.takeFor(batch.changes, async (taken) => [
        ...(await this.#writer.flush(batch)),
        // A later change in the batch may have replaced one of the taken payloads.
        ...taken.map(({ name }) => name),
      ]);
      this.#removeLater(names);
    });
  }

  async stage(parts: readonly Uint8Array[]): Promise<readonly Payload[]> {
    this.#refuseUseless();
    return this.#large?.stage(parts) ?? parts.map((bytes) => ({ kind: "inline", bytes }));
  }

  async discard(payload: Payload): Promise<void> {
    if (payload.kind === "file") await this.#large?.staged.discard(payload);
  }

  /**
   * Finds no damage, because the server checks pages when it reads them, and each read compares payloads with their checksums.
   */
  check(): Promise<readonly PayloadDamage[]> {
    return this.#guard(async () => {
      try {
        await this.#sweep();
      } catch (error) {
        if (!this.#ending.signal.aborted) throw error;
      }
      return [];
    });
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  protected override ask<T>(question: (session: Session) => Promise<T>): Promise<T> {
    return this.#guard(() => this.#pooled(question));
  }

  protected override file(content: FileContent) {
    if (this.#large === undefined) throw new StoreUnusableError(NO_OBJECTS);
    return this.#large.file(content);
  }

  async #pooled<T>(question: (session: Session) => Promise<T>): Promise<T> {
    const { options, times, settings } = this.#parts;
    const reconnectFor = new ReconnectWait(options.clock, times, this.#ending.signal);
    try {
      return await this.#pool.use(question, reconnectFor);
    } catch (error) {
      throw fromPostgres(error, settings.shown);
    }
  }

  /** Removes large payloads that no row names. The sweep finds payloads that remain. */
  #removeLater(names: readonly string[]): void {
    const large = this.#large;
    if (large === undefined || names.length === 0) return;
    const removed = this.#removeUnreferred(large, names).catch(() => undefined);
    void this.#removals.track(removed);
  }

  async #removeUnreferred(large: LargePayloads, names: readonly string[]): Promise<void> {
    const gone = await this.#pooled((session) => unreferred(session, [...new Set(names)]));
    await Promise.all(
      gone.filter((name) => !large.staged.has(name)).map((name) => large.remove(name)),
    );
  }

  /** Removes blobs that a crash left. New blobs stay, because another process may be about to name them. */
  async #sweep(): Promise<void> {
    const large = this.#large;
    if (large === undefined) return;
    let names: string[] = [];
    for await (const name of large.namesBefore(this.serviceTime.clock.now() - SWEPT_AFTER_MS)) {
      if (this.#closing !== undefined) return;
      names.push(name);
      if (names.length < SWEPT_AT_ONCE) continue;
      await this.#removeUnreferred(large, names);
      names = [];
    }
    if (names.length > 0) await this.#removeUnreferred(large, names);
  }

  #guard<T>(work: () => Promise<T>): Promise<T> {
    return this.#damage.guard(async () => {
      this.#refuseUseless();
      try {
        return await work();
      } catch (error) {
        throw withOwnAdvice(error);
      }
    });
  }

  #refuseUseless(): void {
    if (this.#closing !== undefined) throw new StoreClosedError();
    if (this.#parts.claim.lost) throw this.#parts.claim.lost;
  }

  async #close(): Promise<void> {
    this.#ending.abort();
    this.#share.notices.close();
    // A released claim must not be renewed.
    await this.#renewal.close();
    this.serviceTime.clock.close();
    await this.#writer.close();
    await this.#removals.settle();
    await Promise.all([this.#pool.close(), this.#large?.close()]);
  }
}
