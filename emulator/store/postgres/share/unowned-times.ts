/** Measures how long partitions have no owner, as this replica sees it. All times are of its monotonic clock, ms. */
import type { OwnerRow } from "../claim/partition-assignment.ts";
import type { PeerRow } from "./peer-view.ts";

export class UnownedTimes {
  /** Time since which each partition has no owner. */
  readonly #freeSince = new Map<number, number>();
  /** Time since which each partition has no live owner. A dead owner does not count, even while its row exists. */
  readonly #unownedSince = new Map<number, number>();

  /** Call it with the rows of each renewal. */
  see(
    owners: readonly OwnerRow[],
    peers: readonly Pick<PeerRow, "id" | "leftMs">[],
    now: number,
  ): void {
    const over = new Map(
      peers.map(({ id, leftMs }) => [id, leftMs < 0 ? now + leftMs : undefined]),
    );
    for (const { partition, replica } of owners) {
      const isFree = replica === undefined;
      noteSince(this.#freeSince, partition, isFree ? now : undefined);
      noteSince(this.#unownedSince, partition, isFree ? now : over.get(replica));
    }
  }

  freeMs(partition: number, now: number): number {
    return now - (this.#freeSince.get(partition) ?? now);
  }

  /** Time for which each partition has had no live owner. Partitions with a live owner are left out. */
  unownedMs(partitions: Iterable<number>, now: number): ReadonlyMap<number, number> {
    return new Map(
      [...partitions].flatMap((partition) => {
        const since = this.#unownedSince.get(partition);
        return since === undefined ? [] : [[partition, now - since] as const];
      }),
    );
  }
}

/** Keeps the time at which a state began. An undefined time ends the state. */
function noteSince(since: Map<number, number>, partition: number, from: number | undefined): void {
  if (from === undefined) since.delete(partition);
  else if (!since.has(partition)) since.set(partition, from);
}
