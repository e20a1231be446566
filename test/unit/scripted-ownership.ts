/** Ownership among replicas that a test scripts: one cluster, and each replica's view of it. */
import type { Ownership, Replica, ReplicaState } from "../../emulator/store/ownership.ts";

export class ScriptedCluster {
  /** Live replicas by id. */
  readonly replicas = new Map<string, Replica>();
  /** Id of the replica that owns the endpoint; an endpoint that is not listed is `rest`'s. */
  readonly owners = new Map<string, string | undefined>();
  /** Id of the replica that owns everything else. */
  rest: string | undefined;
  /** Number of refreshes of records. */
  refreshed = 0;
  #moved = Promise.withResolvers<void>();

  /** The view of the replica with that id, which is reached at `address`. */
  join(id: string, address: () => string): ScriptedOwnership {
    return new ScriptedOwnership(this, {
      id,
      get address() {
        return address();
      },
    });
  }

  /** All replicas learn of a move. */
  announce(): void {
    const moved = this.#moved;
    this.#moved = Promise.withResolvers();
    moved.resolve();
  }

  /** Assigns the endpoint to this replica, or to none; all replicas know. */
  give(endpointId: string, id: string | undefined): void {
    this.owners.set(endpointId, id);
    this.announce();
  }

  ownerOf(endpointId: string): Replica | undefined {
    const isKnown = this.owners.has(endpointId);
    return this.replicas.get((isKnown ? this.owners.get(endpointId) : this.rest) ?? "");
  }

  async moved(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
      if (signal.aborted) resolve();
    });
    await Promise.race([this.#moved.promise, aborted]);
  }
}

export class ScriptedOwnership implements Ownership {
  readonly servicePartition = 0;
  readonly partitionCount = 2;
  readonly self: Replica;
  readonly #cluster: ScriptedCluster;
  /** Overrides this replica's view of an endpoint. */
  readonly believes = new Map<string, Replica | undefined>();

  constructor(cluster: ScriptedCluster, self: Replica) {
    this.#cluster = cluster;
    this.self = self;
    cluster.replicas.set(self.id, self);
  }

  owns(endpointId: string): boolean {
    return this.ownerOf(endpointId)?.id === this.self.id;
  }

  ownsService(): boolean {
    return this.serviceOwner()?.id === this.self.id;
  }

  ownerOf(endpointId: string): Replica | undefined {
    return this.believes.has(endpointId)
      ? this.believes.get(endpointId)
      : this.#cluster.ownerOf(endpointId);
  }

  serviceOwner(): Replica | undefined {
    return this.#cluster.replicas.get(this.#cluster.rest ?? "");
  }

  replicas(): readonly ReplicaState[] {
    return [...this.#cluster.replicas.values()].map((replica) => ({
      id: replica.id,
      address: replica.address,
      workerAddress: replica.workerAddress,
      version: "1",
      startedAt: 0,
      clockAheadMs: 0,
      leaseEndsAt: 5_000,
      partitions: replica.id === this.#cluster.rest ? [0] : [],
    }));
  }

  moved(signal: AbortSignal): Promise<void> {
    return this.#cluster.moved(signal);
  }

  partitionOf(): number {
    return 0;
  }

  keyAfter(seq: number): number {
    return seq + 1;
  }

  follow(): void {
    // No replica changes records.
  }

  async refreshRecords(): Promise<void> {
    this.#cluster.refreshed += 1;
  }

  begin(): Promise<void> {
    return Promise.resolve();
  }

  end(): Promise<void> {
    return Promise.resolve();
  }
}
