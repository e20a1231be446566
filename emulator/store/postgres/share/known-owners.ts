/** Keeps the last known owner of each partition, and wakes callers that wait for a change. */
import type { Replica, ReplicaState } from "../../ownership.ts";
import type { Claim } from "../claim/claim.ts";
import { targetsOf } from "../claim/partition-assignment.ts";
import { NOTHING_SEEN, type PeerRow, type PeerView } from "./peer-view.ts";

export class KnownOwners {
  readonly self: Replica;
  readonly #claim: Claim;
  readonly #watchers = new Set<() => void>();
  #view: PeerView = NOTHING_SEEN;

  constructor(self: Replica, claim: Claim) {
    this.self = self;
    this.#claim = claim;
  }

  get view(): PeerView {
    return this.#view;
  }

  see(view: PeerView): void {
    const before = this.#view.owners;
    this.#view = view;
    if (view.owners.some(({ replica }, partition) => replica !== before[partition]?.replica))
      this.changed();
  }

  /** Whether no other replica can own the partition now. */
  isOwn(partition: number): boolean {
    return this.#claim.held.has(partition) && this.#claim.validity.isInForce;
  }

  /** Call this when this replica has taken partitions. */
  take(epochs: ReadonlyMap<number, number>): void {
    const owners = this.#view.owners.map((row) => {
      const epoch = epochs.get(row.partition);
      return epoch === undefined ? row : { ...row, replica: this.self.id, epoch };
    });
    this.#view = { ...this.#view, owners };
    this.changed();
  }

  ownerOf(partition: number): Replica | undefined {
    if (this.isOwn(partition)) return this.self;
    const id = this.#view.owners[partition]?.replica;
    const peer = this.#alive().find((each) => each.id === id);
    if (peer === undefined || peer.id === this.self.id) return undefined;
    const { address, workerAddress } = peer;
    return { id: peer.id, address, workerAddress };
  }

  replicas(): readonly ReplicaState[] {
    return this.#alive().map((peer) => {
      const { id, address, workerAddress, version } = peer;
      const { startedAt, leaseEndsAt, clockAheadMs } = peer;
      const own = this.#view.owners.filter(({ replica }) => replica === id);
      const known = { id, address, workerAddress, version, startedAt, leaseEndsAt, clockAheadMs };
      return { ...known, partitions: own.map(({ partition }) => partition) };
    });
  }

  /** Returns the intended owner of each partition. */
  targets(): ReadonlyMap<number, string> {
    return targetsOf(this.#alive());
  }

  changed(): void {
    for (const wake of [...this.#watchers]) wake();
  }

  moved(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => {
      this.#watchers.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    this.#watchers.add(wake);
    signal.addEventListener("abort", wake);
    if (signal.aborted) wake();
    return promise;
  }

  #alive(): readonly PeerRow[] {
    return this.#view.peers.filter(({ leftMs }) => leftMs >= 0);
  }
}
