/** The lease of a process that its machine freezes, and the time for which it is trusted. */
import { describe, expect, it } from "vitest";
import { createSystemClock } from "../../../../emulator/assembly/system-clock.ts";
import { Lease } from "../../../../emulator/store/postgres/claim/lease.ts";
import { ClaimValidity } from "../../../../emulator/store/postgres/claim/claim-validity.ts";
import { endpointOf, POLLED, spread } from "../../../contract/ownership/shared-subject.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { postgresIsMissing } from "../../../setup/postgres.ts";
import { begun, testShared } from "./replica.ts";

const MINUTE_MS = 60_000;

describe("a lease", () => {
  it("grows to twice the longest standstill after two standstills within ten minutes", () => {
    const lease = new Lease(5_000);
    lease.stoodStill(8_000, 0);
    expect(lease.at(0)).toBe(5_000);
    lease.stoodStill(6_000, 9 * MINUTE_MS);
    expect(lease.at(9 * MINUTE_MS)).toBe(16_000);
  });

  it("returns to its usual length after ten minutes without standstills, and shrinks before if the longest was long ago", () => {
    const lease = new Lease(5_000);
    for (const [ms, minute] of [
      [9_000, 0],
      [4_000, 4],
      [4_000, 5],
    ] as const)
      lease.stoodStill(ms, minute * MINUTE_MS);
    const at = [9.9, 10, 13.9, 14].map((minute) => lease.at(minute * MINUTE_MS));
    expect(at).toEqual([18_000, 8_000, 8_000, 5_000]);
  });

  it("is at most four times the usual one, for any number and length of standstills", () => {
    const lease = new Lease(5_000);
    for (let second = 0; second < 600; second += 1) lease.stoodStill(1e6, second * 1_000);
    expect(lease.at(600_000)).toBe(20_000);
  });

  it("does not grow for short standstills, and never below the usual one", () => {
    const lease = new Lease(5_000);
    for (let minute = 0; minute < 9; minute += 1) lease.stoodStill(2_400, minute * MINUTE_MS);
    expect(lease.at(9 * MINUTE_MS)).toBe(5_000);
    for (let minute = 0; minute < 9; minute += 1) lease.stoodStill(2_500, minute * MINUTE_MS);
    expect(lease.at(9 * MINUTE_MS)).toBe(5_000);
  });
});

describe("a claim for a lease", () => {
  const claimed = (...leases: readonly number[]) => {
    const clock = new FakeClock();
    const validity = new ClaimValidity(clock, { lease: 5_000, margin: 500 });
    for (const leaseMs of leases) {
      const since = validity.now();
      validity.asks(leaseMs);
      validity.renew(since);
    }
    return { clock, validity };
  };

  it("is trusted for a longer lease after a renewal with it has succeeded", async () => {
    const { clock, validity } = claimed(5_000);
    validity.asks(16_000);
    await clock.advance(4_500);
    expect(validity.isInForce).toBe(false);
    const longer = claimed(16_000);
    await longer.clock.advance(15_499);
    expect(longer.validity.isInForce).toBe(true);
    await longer.clock.advance(1);
    expect(longer.validity.isInForce).toBe(false);
  });

  it("is trusted only for a shorter lease from its request on, because the answer may be lost", async () => {
    const { clock, validity } = claimed(16_000);
    validity.asks(5_000);
    await clock.advance(4_499);
    expect(validity.isInForce).toBe(true);
    await clock.advance(1);
    expect(validity.isInForce).toBe(false);
  });
});

describe.skipIf(postgresIsMissing !== undefined)("a replica on a starved machine", () => {
  it("keeps its partitions over a standstill longer than the usual lease, after two earlier standstills", async () => {
    await using shared = await testShared();
    const warned: string[] = [];
    const system = createSystemClock();
    let stoodMs = 0;
    const clock = {
      now: () => system.now() + stoodMs,
      wakeAt: (at: number, wake: () => void) => system.wakeAt(at - stoodMs, wake),
    };
    const warn = (sentence: string) => void warned.push(sentence);
    const starved = await begun(shared, "short", { clock, warn });
    const other = await begun(shared, "short");
    await spread([starved, other]);
    const id = endpointOf(starved);
    const leaseInRow = async () => {
      const { rows } = await shared.admin.query<{ lease: string }>(
        "SELECT lease_ms AS lease FROM replica WHERE id = $1",
        [starved.ownership.self.id],
      );
      return Number(rows[0]?.lease);
    };
    const standStill = async () => {
      stoodMs += 3_000;
      await expect.poll(() => starved.ownership.owns(id), POLLED).toBe(true);
    };
    await standStill();
    await starved.insert(id);
    const leaseAfterAnother = () => standStill().then(leaseInRow);
    // A standstill during a renewal looks like a slow database.
    await expect.poll(leaseAfterAnother, POLLED).toBe(6_000);
    expect(warned.at(-1)).toMatch(/^this process stalled for 3\.\d s, again within 10 min/);
    expect(starved.losses).toEqual([]);
    await starved.insert(id);
    const frozenAt = performance.now();
    starved.joined.freeze();
    await expect.poll(() => performance.now() - frozenAt, POLLED).toBeGreaterThan(2_500);
    expect([starved.ownership.owns(id), other.has(id)]).toEqual([true, false]);
    starved.joined.wake();
    await starved.insert(id);
    expect([starved.losses.flat(), other.has(id)]).toEqual([[], false]);
  });
});
