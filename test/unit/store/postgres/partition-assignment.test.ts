/** The assignment of partitions to replicas: each replica computes the same, and few partitions move. */
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

describe("the assignment of partitions", () => {
  it("is the same for any order of the replicas, and gives each a fair share", () => {
    const peers = ["one", "two", "three", "four"].map((id) => peer(id));
    const targets = targetsOf(peers);
    expect(targetsOf(peers.toReversed())).toEqual(targets);
    expect(targets.size).toBe(64);
    for (const { id } of peers) expect(partitionsOf(targets, id).length).toBeGreaterThan(6);
  });

  it("moves only the share of a new replica to it, and only the share of a leaving replica away", () => {
    const two = targetsOf([peer("one"), peer("two")]);
    const three = targetsOf([peer("one"), peer("two"), peer("three")]);
    for (const [partition, target] of three)
      expect([two.get(partition), "three"], `partition ${partition}`).toContain(target);
  });

  it("considers only settled replicas, or all that take partitions if none is settled", () => {
    const idle: Peer = { id: "idle", hasBegun: false, isSettled: false };
    const young = [peer("one", false), peer("two", false)];
    expect(new Set(targetsOf([idle, ...young]).values())).toEqual(new Set(["one", "two"]));
    expect(new Set(targetsOf([idle, ...young, peer("three")]).values())).toEqual(
      new Set(["three"]),
    );
    expect(targetsOf([idle]).size).toBe(0);
  });

  it("lets a replica take free partitions of its share, left-over ones, and partitions that it owns in the database", () => {
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
