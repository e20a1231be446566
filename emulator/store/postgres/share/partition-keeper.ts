/**
 * Keeps the partitions of this replica. Each renewal of its claim reads the replicas and owners, removes dead replicas, takes the
 * partitions assigned to this replica, and releases those assigned to another. An only replica owns all partitions from its
 * registration on.
 */
import type { LeaveWhen, Owner } from "../../ownership.ts";
import type { Boot } from "../../store.ts";
import type { Claim } from "../claim/claim.ts";
import type { Registration } from "../claim/registration.ts";
import { claimable, misplaced } from "../claim/partition-assignment.ts";
import type { Session, Statement } from "../connect/session.ts";
import type { Times } from "../options.ts";
import type { Queues } from "../writes/queues.ts";
import type { KnownOwners } from "./known-owners.ts";
import { removeOthers, claimPartitions, givePartitions } from "./move-partitions.ts";
import { renewAndLook } from "./peer-view.ts";
import { UnownedTimes } from "./unowned-times.ts";

/** Maximum number of partitions that are released at a time. */
const LEFT_AT_ONCE = 8;

export interface PartitionKeeperParts {
  readonly claim: Claim;
  readonly times: Times;
  readonly queues: Queues;
  readonly owners: KnownOwners;
  /** Notifies other replicas that owners have changed. */
  readonly tell: Statement;
  readonly readGain: (
    session: Session,
    partitions: readonly number[],
  ) => Promise<Pick<Boot, "counts" | "running" | "lastSeq">>;
  /** Starts the next renewal at once. */
  readonly hurry: () => void;
}

export class PartitionKeeper {
  readonly #parts: PartitionKeeperParts;
  #owner: Owner | undefined;
  #isEnding = false;
  /** Partitions that the owner has left and the next renewal releases, each with its epoch. */
  readonly #given = new Map<number, number>();
  readonly #unowned = new UnownedTimes();
  #slot = 0;
  #highestSeq = 0;

  constructor(parts: PartitionKeeperParts) {
    this.#parts = parts;
    const { registration, held } = parts.claim;
    held.onLost = (lost) => this.#lose(lost);
    if (registration !== undefined) this.#note(registration);
  }

  get slot(): number {
    return this.#slot;
  }

  /** Highest known key of all replicas. */
  get highestSeq(): number {
    return this.#highestSeq;
  }

  /** Takes partitions for `owner` from the next renewal on. */
  begin(owner: Owner): void {
    this.#owner = owner;
  }

  /** Resolves when the owner has left all partitions. Each is released by the renewal after it was left. */
  async end(when: "stop" | "now"): Promise<void> {
    this.#isEnding = true;
    await Promise.all(
      this.#parts.claim.held.all.map((partition) => this.#leave([partition], when)),
    );
  }

  /**
   * Renews the claim. Returns the version of the records, or undefined if the row is gone.
   *
   * @throws StoreLostError; what `pg` throws
   */
  async renew(session: Session): Promise<number | undefined> {
    const { claim, owners, hurry, tell } = this.#parts;
    const registration = claim.registration ?? (await this.#register(session));
    if (!(await this.#look(session, registration))) {
      if (!claim.isShared) await claim.lose(session);
      claim.unregister(registration);
      hurry();
      return undefined;
    }
    const hasGiven = await this.#give(session);
    const isAnyDead = owners.view.peers.some(({ leftMs }) => leftMs < 0);
    const hasRemoved = isAnyDead && (await removeOthers(session, claim.seen, tell)) > 0;
    if (hasGiven || hasRemoved) await this.#look(session, registration);
    await this.#claim(session, registration);
    this.#leaveMisplaced();
    return owners.view.recordsVersion;
  }

  get #takesPartitions(): boolean {
    return this.#owner !== undefined && !this.#isEnding;
  }

  async #register(session: Session): Promise<Registration> {
    const { claim } = this.#parts;
    const refusal = await claim.register(session);
    const { registration } = claim;
    if (registration === undefined) throw claim.refuse(refusal ?? "nothing was claimed");
    this.#note(registration);
    return registration;
  }

  #note({ slot, highest }: Registration): void {
    this.#slot = slot;
    this.#highestSeq = Math.max(this.#highestSeq, highest);
    this.#given.clear();
  }

  /** Renews the claim, and loses held partitions that have another owner. Returns false if the row is gone. */
  async #look(session: Session, registration: Registration): Promise<boolean> {
    const { claim, times, owners, hurry } = this.#parts;
    const startedAt = claim.validity.now();
    const terms = { registration, settleMs: times.settle, hasBegun: this.#takesPartitions };
    const view = await renewAndLook(session, claim, terms);
    if (view === undefined) return false;
    claim.validity.renew(startedAt);
    if (view.hasLeapt) hurry();
    this.#highestSeq = Math.max(this.#highestSeq, view.lastSeq);
    this.#unowned.see(view.owners, view.peers, startedAt.steady);
    const lost = claim.held.all.filter((partition) => {
      const row = view.owners[partition];
      return row?.replica !== owners.self.id || row.epoch !== claim.held.epochOf(partition);
    });
    if (lost.length > 0 && !claim.isShared) await claim.lose(session);
    claim.held.lose(lost);
    owners.see(view);
    return true;
  }

  /** Releases the partitions that were left, or all partitions at the end. Returns whether it released any. */
  async #give(session: Session): Promise<boolean> {
    const { claim, owners, tell } = this.#parts;
    if (this.#isEnding)
      for (const { partition, replica, epoch } of owners.view.owners)
        if (replica === owners.self.id && !claim.held.has(partition))
          this.#given.set(partition, epoch);
    if (this.#given.size === 0) return false;
    const targets = owners.targets();
    const given = [...this.#given].map(
      ([partition, epoch]) => [partition, epoch, targets.get(partition)] as const,
    );
    await givePartitions(session, claim.who, given, tell);
    for (const [partition] of given) this.#given.delete(partition);
    return true;
  }

  async #claim(session: Session, registration: Registration): Promise<void> {
    const { claim, owners, times, readGain, tell } = this.#parts;
    const owner = this.#owner;
    if (owner === undefined || !this.#takesPartitions) return;
    const now = claim.validity.now().steady;
    const seen = claimable({
      self: owners.self.id,
      owners: owners.view.owners,
      targets: owners.targets(),
      isLeftOver: (partition) => this.#unowned.freeMs(partition, now) >= times.leftOver,
      isHeld: (partition) => claim.held.has(partition) || this.#given.has(partition),
    });
    if (seen.length === 0) return;
    const epochs = await claimPartitions(session, claim.who, registration, seen, tell);
    if (epochs.size === 0) return;
    const gain = await readGain(session, [...epochs.keys()]);
    // This replica may be stopping by now, or have lost its row.
    if (claim.registration !== registration || !this.#takesPartitions) return;
    this.#highestSeq = Math.max(this.#highestSeq, gain.lastSeq);
    claim.held.hold(epochs);
    owner.gained({
      ...{ ...gain, partitions: new Set(epochs.keys()) },
      unownedMs: this.#unowned.unownedMs(epochs.keys(), claim.validity.now().steady),
    });
    owners.take(epochs);
  }

  #leaveMisplaced(): void {
    const { claim, owners } = this.#parts;
    if (!this.#takesPartitions || claim.held.isLeaving) return;
    const partitions = misplaced(owners.self.id, claim.held.kept, owners.targets());
    if (partitions.length > 0) void this.#leave(partitions.slice(0, LEFT_AT_ONCE), "idle");
  }

  async #leave(partitions: readonly number[], when: LeaveWhen): Promise<void> {
    const { claim, owners, queues, hurry } = this.#parts;
    const { held } = claim;
    const epochs = new Map(partitions.map((partition) => [partition, held.epochOf(partition)]));
    held.leave(partitions);
    owners.changed();
    await this.#owner?.leave(new Set(partitions), when);
    // A partition may have been lost and gained again meanwhile.
    const left = held.drop(
      partitions.filter((partition) => held.epochOf(partition) === epochs.get(partition)),
    );
    for (const [partition, epoch] of left) this.#given.set(partition, epoch);
    queues.forget(new Set(left.keys()));
    hurry();
  }

  #lose(lost: ReadonlySet<number>): void {
    const { owners, queues, hurry } = this.#parts;
    queues.forget(lost);
    this.#owner?.lost(lost);
    owners.changed();
    hurry();
  }
}
