/** Assigns partitions to replicas. Every replica computes the same assignment from the stored rows. */
import { createHash } from "node:crypto";
import { ALL_PARTITIONS } from "./partitions.ts";

export interface Peer {
  readonly id: string;
  /** Whether the replica takes partitions. */
  readonly hasBegun: boolean;
  /** Whether the replica has taken partitions for a while. A replica that comes and goes moves no partitions. */
  readonly isSettled: boolean;
}

export interface OwnerRow {
  readonly partition: number;
  readonly replica: string | undefined;
  readonly epoch: number;
}

/**
 * The target of a partition is the settled replica with the highest hash. A replica that comes or goes therefore moves only its
 * own partitions. If no replica has settled, all replicas that take partitions count.
 */
export function targetsOf(peers: readonly Peer[]): ReadonlyMap<number, string> {
  const settled = peers.filter(({ isSettled }) => isSettled);
  const ids = (settled.length > 0 ? settled : peers.filter(({ hasBegun }) => hasBegun)).map(
    ({ id }) => id,
  );
  const targets = new Map<number, string>();
  for (const partition of ALL_PARTITIONS) {
    const weights = ids.map((id) => ({ id, weight: weightOf(partition, id) }));
    const best = weights.toSorted((a, b) => b.weight - a.weight || (a.id < b.id ? -1 : 1))[0];
    if (best !== undefined) targets.set(partition, best.id);
  }
  return targets;
}

export interface Situation {
  readonly self: string;
  readonly owners: readonly OwnerRow[];
  readonly targets: ReadonlyMap<number, string>;
  /** Whether a partition was without an owner for long enough that any replica may take it. */
  readonly isLeftOver: (partition: number) => boolean;
  /** Whether memory has the partition. Also true while it is being released. */
  readonly isHeld: (partition: number) => boolean;
}

/** Returns the partitions to claim: own partitions that memory lacks, and free partitions that this replica may take. */
export function claimable({ self, owners, targets, isLeftOver, isHeld }: Situation) {
  return owners.filter(({ partition, replica }) => {
    if (replica === self) return !isHeld(partition);
    if (replica !== undefined) return false;
    const target = targets.get(partition) ?? self;
    return target === self || isLeftOver(partition);
  });
}

/** Returns those of the partitions that are assigned to another replica. */
export function misplaced(
  self: string,
  partitions: readonly number[],
  targets: ReadonlyMap<number, string>,
): readonly number[] {
  return partitions.filter((partition) => (targets.get(partition) ?? self) !== self);
}

function weightOf(partition: number, id: string): number {
  return createHash("sha256").update(`${partition} ${id}`).digest().readUIntBE(0, 6);
}
