/** An observer decides which replicas are alive from their renewal counters and its own monotonic clock. */
import { expect, it } from "vitest";
import { SeenRenewals } from "../../../../emulator/store/postgres/claim/seen-renewals.ts";

const row = (renewals: number, term = 1) => ({ term, renewals, leaseMs: 5_000 });

/** Observes once a second from `from` to `to`; returns the rest of the lease, in ms. */
function looks(seen: SeenRenewals, found: ReturnType<typeof row>, from: number, to: number) {
  for (let at = from; at <= to; at += 1_000) seen.look([found], at);
  return seen.leftMs(found);
}

it("a replica counts as dead after its counter was unchanged for its lease, and not before", () => {
  const seen = new SeenRenewals();
  expect(looks(seen, row(7), 0, 4_000)).toBe(1_000);
  seen.look([row(7)], 4_999);
  expect(seen.leftMs(row(7))).toBe(1);
  seen.look([row(7)], 5_000);
  expect(seen.leftMs(row(7))).toBeLessThan(0);
});

it("each observed renewal and each new registration gives a replica a new lease", () => {
  const seen = new SeenRenewals();
  looks(seen, row(7), 0, 4_000);
  expect(looks(seen, row(8), 5_000, 9_000)).toBe(1_000);
  expect(looks(seen, row(8, 2), 10_000, 10_000)).toBe(5_000);
});

it("an observer that paused for longer than a lease restarts its count", () => {
  const seen = new SeenRenewals();
  looks(seen, row(7), 0, 2_000);
  for (const at of [3_602_000, 3_000_000]) {
    seen.look([row(7)], at);
    expect(seen.leftMs(row(7))).toBe(5_000);
  }
});

it("a replica that was never observed has its whole lease", () => {
  expect(new SeenRenewals().leftMs(row(1))).toBe(5_000);
});
