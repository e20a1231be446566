/** Who is to have which part: each replica finds the same from what is stored, so that nobody has to be asked. */
import { createHash } from "node:crypto";
import { ALL_PARTS } from "./parts.ts";

export interface Peer {
  readonly id: string;
  /** Whether it takes parts. */
  readonly hasBegun: boolean;
  /** Whether it has done so for a while: one that comes and goes moves nothing. */
  readonly isSettled: boolean;
}

export interface OwnerRow {
  readonly part: number;
  /** Undefined: nobody. */
  readonly replica: string | undefined;
  readonly epoch: number;
}

/**
 * Of those that have settled the one with the highest hash, so that who comes or goes moves its own parts alone; of all that
 * take parts where none has settled.
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
  /** Whether a part has been nobody's for so long that it does not matter who takes it. */
  readonly isLeftOver: (part: number) => boolean;
  /** Whether memory has the part, also if it is being left. */
  readonly isHeld: (part: number) => boolean;
}

/** Those to be claimed: what is its own by the database but not in memory, and what is free and its own to take. */
export function claimable({ self, owners, targets, isLeftOver, isHeld }: Situation) {
  return owners.filter(({ part, replica }) => {
    if (replica === self) return !isHeld(part);
    if (replica !== undefined) return false;
    const target = targets.get(part) ?? self;
    return target === self || isLeftOver(part);
  });
}

/** Parts that are to be another's. */
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
