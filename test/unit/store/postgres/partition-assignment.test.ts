/** Who is to have which partition: each replica finds the same, and no more partitions move than have to. */
import { describe, expect, it } from "vitest";
import {
  claimable,
  misplaced,
  type OwnerRow,
  type Peer,
  targetsOf,
} from "../../../../emulator/store/postgres/claim/partition-assignment.ts";

const peer = (id: string, isSettled = true): Peer => ({ id, hasBegun: true, isSettled });
const partitionsOf = (targets: ReadonlyMap<number, string>, id: string) =>
  [...targets].filter(([, target]) => target === id).map(([partition]) => partition);

describe("the spread of partitions", () => {
  it("is the same in whatever order the replicas are, and gives each a fair share", () => {
    const peers = ["one", "two", "three", "four"].map((id) => peer(id));
    const targets = targetsOf(peers);
    expect(targetsOf(peers.toReversed())).toEqual(targets);
    expect(targets.size).toBe(64);
    for (const { id } of peers) expect(partitionsOf(targets, id).length).toBeGreaterThan(6);
  });

  it("moves to who comes what is to be its own, and of who goes what was its own", () => {
    const two = targetsOf([peer("one"), peer("two")]);
    const three = targetsOf([peer("one"), peer("two"), peer("three")]);
    for (const [partition, target] of three)
      expect([two.get(partition), "three"], `partition ${partition}`).toContain(target);
  });

  it("counts on who has settled, and on all that take partitions where nobody has", () => {
    const idle: Peer = { id: "idle", hasBegun: false, isSettled: false };
    const young = [peer("one", false), peer("two", false)];
    expect(new Set(targetsOf([idle, ...young]).values())).toEqual(new Set(["one", "two"]));
    expect(new Set(targetsOf([idle, ...young, peer("three")]).values())).toEqual(
      new Set(["three"]),
    );
    expect(targetsOf([idle]).size).toBe(0);
  });

  it("lets a replica take what is free and its own to take, or left over, or its own by the database", () => {
    const owners: readonly OwnerRow[] = [
      { partition: 0, replica: undefined, epoch: 1 },
      { partition: 1, replica: undefined, epoch: 1 },
      { partition: 2, replica: undefined, epoch: 1 },
      { partition: 3, replica: "self", epoch: 1 },
      { partition: 4, replica: "self", epoch: 1 },
      { partition: 5, replica: "other", epoch: 1 },
    ];
    const targets = new Map([
      [0, "self"],
      [1, "other"],
      [2, "other"],
      [5, "self"],
    ]);
    const taken = claimable({
      ...{ self: "self", owners, targets },
      isLeftOver: (partition) => partition === 2,
      isHeld: (partition) => partition === 4,
    });
    expect(taken.map(({ partition }) => partition)).toEqual([0, 2, 3]);
    expect(misplaced("self", [0, 1, 2, 4], targets)).toEqual([1, 2]);
  });
});
