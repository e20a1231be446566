/** Who has what, as far as this replica knows; and whoever waits for a change of that. */
import type { Replica, ReplicaState } from "../../ownership.ts";
import type { Claim } from "../claim/claim.ts";
import { targetsOf } from "../claim/spread.ts";
import { NOTHING_SEEN, type PeerRow, type View } from "./view.ts";

export class KnownOwners {
  readonly self: Replica;
  readonly #claim: Claim;
  readonly #watchers = new Set<() => void>();
  #view: View = NOTHING_SEEN;

  constructor(self: Replica, claim: Claim) {
    this.self = self;
    this.#claim = claim;
  }

  get view(): View {
    return this.#view;
  }

  see(view: View): void {
    const before = this.#view.owners;
    this.#view = view;
    if (view.owners.some(({ replica }, part) => replica !== before[part]?.replica)) this.changed();
  }

  /** Whether nobody else can have it now. */
  isOwn(part: number): boolean {
    return this.#claim.held.has(part) && this.#claim.trust.isInForce;
  }

  /** This process has taken them. */
  take(epochs: ReadonlyMap<number, number>): void {
    const owners = this.#view.owners.map((row) => {
      const epoch = epochs.get(row.part);
      return epoch === undefined ? row : { ...row, replica: this.self.id, epoch };
    });
    this.#view = { ...this.#view, owners };
    this.changed();
  }

  ownerOf(part: number): Replica | undefined {
    if (this.isOwn(part)) return this.self;
    const id = this.#view.owners[part]?.replica;
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
      return { ...known, parts: own.map(({ part }) => part) };
    });
  }

  /** Who is to have which part. */
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
