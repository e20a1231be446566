/** Live replicas, by counters of renewals and the monotonic clock of the observer. */
import { expect, it } from "vitest";
import { SeenRenewals } from "../../../../emulator/store/postgres/claim/seen-renewals.ts";

const row = (renewals: number, term = 1) => ({ term, renewals, leaseMs: 5_000 });

/** Looks at each second from `from` to `to`; how much is left then. */
function looks(seen: SeenRenewals, found: ReturnType<typeof row>, from: number, to: number) {
  for (let at = from; at <= to; at += 1_000) seen.look([found], at);
  return seen.leftMs(found);
}

it("a replica is over once its counter was seen unchanged for its lease, and not before", () => {
  const seen = new SeenRenewals();
  expect(looks(seen, row(7), 0, 4_000)).toBe(1_000);
  seen.look([row(7)], 4_999);
  expect(seen.leftMs(row(7))).toBe(1);
  seen.look([row(7)], 5_000);
  expect(seen.leftMs(row(7))).toBeLessThan(0);
});

it("each renewal that is seen gives it another lease, and so does another registration", () => {
  const seen = new SeenRenewals();
  looks(seen, row(7), 0, 4_000);
  expect(looks(seen, row(8), 5_000, 9_000)).toBe(1_000);
  expect(looks(seen, row(8, 2), 10_000, 10_000)).toBe(5_000);
});

it("who did not look for longer than a lease counts anew, however far its clock went", () => {
  const seen = new SeenRenewals();
  looks(seen, row(7), 0, 2_000);
  for (const at of [3_602_000, 3_000_000]) {
    seen.look([row(7)], at);
    expect(seen.leftMs(row(7))).toBe(5_000);
  }
});

it("a replica that nobody looked at before has its whole lease", () => {
  expect(new SeenRenewals().leftMs(row(1))).toBe(5_000);
});
