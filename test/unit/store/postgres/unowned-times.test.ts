/** The time for which a partition has had no owner: a missing replica is waited for that long, and metrics show it. */
import { expect, it } from "vitest";
import { UnownedTimes } from "../../../../emulator/store/postgres/share/unowned-times.ts";

const owned = (...replicas: readonly (string | undefined)[]) =>
  replicas.map((replica, partition) => ({ partition, replica, epoch: 1 }));

it("a partition has no live owner from the end of the owner's lease on, and no owner from its removal on", () => {
  const times = new UnownedTimes();
  const told = (now: number) => ({
    free: [times.freeMs(0, now), times.freeMs(1, now)],
    unowned: [...times.unownedMs([0, 1], now)],
  });
  const two = { id: "two", leftMs: 400 };
  times.see(owned("one", "two"), [{ id: "one", leftMs: 300 }, two], 1_000);
  expect(told(1_000)).toEqual({ free: [0, 0], unowned: [] });
  times.see(owned("one", "two"), [{ id: "one", leftMs: -200 }, two], 1_500);
  expect(told(1_500)).toEqual({ free: [0, 0], unowned: [[0, 200]] });
  times.see(owned("one", "two"), [{ id: "one", leftMs: -300 }, two], 1_600);
  times.see(owned(undefined, "two"), [two], 1_700);
  times.see(owned(undefined, undefined), [], 2_000);
  times.see(owned(undefined, undefined), [], 2_500);
  const unowned = [
    [0, 1_700],
    [1, 1_000],
  ];
  expect(told(3_000)).toEqual({ free: [1_300, 1_000], unowned });
});

it("a partition that had an owner in between starts over", () => {
  const times = new UnownedTimes();
  times.see(owned(undefined), [], 1_000);
  times.see(owned("one"), [{ id: "one", leftMs: 300 }], 2_000);
  expect([times.freeMs(0, 3_000), times.unownedMs([0], 3_000).size]).toEqual([0, 0]);
  times.see(owned(undefined), [], 4_000);
  expect([times.freeMs(0, 5_000), times.unownedMs([0], 5_000).get(0)]).toEqual([1_000, 1_000]);
});
