/** Which replica is to own which partition. Every replica computes the same from the stored rows. */
import { createHash } from "node:crypto";
import { ALL_PARTS } from "./parts.ts";

export interface Peer {
  readonly id: string;
  /** Whether it takes partitions. */
  readonly hasBegun: boolean;
  /** Whether it has taken partitions for a while: a replica that comes and goes moves none. */
  readonly isSettled: boolean;
}

export interface OwnerRow {
  readonly part: number;
  /** Undefined: no owner. */
  readonly replica: string | undefined;
  readonly epoch: number;
}

/**
 * The target of a partition is the settled replica with the highest hash: a replica that comes or goes moves its own partitions
 * alone. Where none has settled, all replicas that take partitions count.
 */
export function targetsOf(peers: readonly Peer[]): ReadonlyMap<number, string> {
  const settled = peers.filter(({ isSettled }) => isSettled);
  const ids = (settled.length > 0 ? settled : peers.filter(({ hasBegun }) => hasBegun)).map(
    ({ id }) => id,
  );
  const targets = new Map<number, string>();
  for (const part of ALL_PARTS) {
    const weights = ids.map((id) => ({ id, weight: weightOf(part, id) }));
    const best = weights.toSorted((a, b) => b.weight - a.weight || (a.id < b.id ? -1 : 1))[0];
    if (best !== undefined) targets.set(part, best.id);
  }
  return targets;
}

export interface Situation {
  readonly self: string;
  readonly owners: readonly OwnerRow[];
  readonly targets: ReadonlyMap<number, string>;
  /** Whether a partition has been without an owner for so long that any replica may take it. */
  readonly isLeftOver: (part: number) => boolean;
  /** Whether memory has the partition, also while it is being released. */
  readonly isHeld: (part: number) => boolean;
}

/** Partitions to be claimed: those that the database says are its own but memory lacks, and free ones that it is to own. */
export function claimable({ self, owners, targets, isLeftOver, isHeld }: Situation) {
  return owners.filter(({ part, replica }) => {
    if (replica === self) return !isHeld(part);
    if (replica !== undefined) return false;
    const target = targets.get(part) ?? self;
    return target === self || isLeftOver(part);
  });
}

/** Partitions that another replica is to own. */
export function misplaced(
  self: string,
  parts: readonly number[],
  targets: ReadonlyMap<number, string>,
): readonly number[] {
  return parts.filter((part) => (targets.get(part) ?? self) !== self);
}

function weightOf(part: number, id: string): number {
  return createHash("sha256").update(`${part} ${id}`).digest().readUIntBE(0, 6);
}
