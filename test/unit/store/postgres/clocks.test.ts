/** Clocks that differ around one database: of machines, and of the database itself. */
import { describe, expect, it } from "vitest";
import { createSystemClock } from "../../../../emulator/assembly/system-clock.ts";
import { endpointOf, POLLED, spread } from "../../../contract/ownership/shared-subject.ts";
import { postgresIsMissing } from "../../../setup/postgres.ts";
import { begun, testShared } from "./replica.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The clocks of a machine, ahead by this much. */
function machine(aheadMs: number, warned: string[] = []) {
  const clock = createSystemClock();
  return {
    clock: {
      now: () => clock.now() + aheadMs,
      wakeAt: (at: number, wake: () => void) => clock.wakeAt(at - aheadMs, wake),
    },
    wall: () => Date.now() + aheadMs,
    warn: (sentence: string) => void warned.push(sentence),
  };
}

async function clockRow(
  { admin }: Awaited<ReturnType<typeof testShared>>,
  column: "highest" | "offset_ms",
): Promise<number> {
  const { rows } = await admin.query<{ value: string }>(
    `SELECT ${column} AS value FROM service_clock`,
  );
  return Number(rows[0]?.value);
}

describe.skipIf(postgresIsMissing !== undefined)("replicas", () => {
  it("agree on service time although their machines' clocks differ by 2 days, and each logs its own deviation once", async () => {
    await using shared = await testShared();
    const warned: string[] = [];
    const right = await begun(shared, "long");
    const ahead = await begun(shared, "long", machine(2 * DAY_MS, warned));
    const behind = await begun(shared, "long", machine(-2 * DAY_MS, warned));
    const three = [right, ahead, behind];
    await spread(three);
    for (const { joined } of three) {
      const { clock } = joined.store.serviceTime;
      expect(Math.abs(clock.now() - Date.now())).toBeLessThan(500);
    }
    const differences = () =>
      new Map(right.ownership.replicas().map((each) => [each.id, each.clockAheadMs / DAY_MS]));
    const shown = three.map(({ ownership }) => ownership.self.id);
    await expect
      .poll(() => shown.map((id) => Math.round((differences().get(id) ?? 9) * 100)), POLLED)
      .toEqual([0, 200, -200]);
    expect(warned).toEqual([
      expect.stringMatching(/^the clock of this machine is 48 h 0 min ahead of the database's: 2/),
      expect.stringMatching(/^the clock of this machine is 48 h 0 min behind the database's: 2/),
    ]);
    await ahead.joined.close();
    await expect.poll(() => right.partitions.size + behind.partitions.size, POLLED).toBe(64);
    expect(Math.abs(right.joined.store.serviceTime.clock.now() - Date.now())).toBeLessThan(500);
  });

  // Another offset has the same effect, and leaves the server of other tests alone.
  it.each([HOUR_MS, -HOUR_MS])(
    "survive a leap of the database's clock by %i ms back: no replica counts as dead, and no partition moves",
    async (byMs) => {
      await using shared = await testShared();
      const warned: string[] = [];
      const two = [
        await begun(shared, "short", machine(0, warned)),
        await begun(shared, "short", machine(0, warned)),
      ];
      await spread(two);
      const partitions = two.map((each) => [...each.partitions]);
      await shared.admin.query(`UPDATE service_clock SET offset_ms = ${byMs}`);
      await expect.poll(() => warned.length, POLLED).toBe(1);
      expect(warned[0]).toContain(
        `the clock of the database leapt ${byMs > 0 ? "ahead" : "back"} by 1 h 0 min`,
      );
      expect(Math.abs(await clockRow(shared, "offset_ms"))).toBeLessThan(5_000);
      for (const each of two) {
        expect(Math.abs(each.joined.store.serviceTime.clock.now() - Date.now())).toBeLessThan(
          1_000,
        );
        await each.insert(endpointOf(each));
      }
      expect(two.map((each) => [...each.partitions])).toEqual(partitions);
    },
  );

  it("leave their service time to the next replica when all are gone, and it never goes back", async () => {
    await using shared = await testShared();
    const first = await begun(shared, "short");
    await expect.poll(() => clockRow(shared, "highest"), POLLED).toBeGreaterThan(0);
    first.joined.kill();
    await shared.admin.query(
      `UPDATE service_clock SET highest = highest + ${HOUR_MS}, offset_ms = 0`,
    );
    const next = await begun(shared, "short");
    const { clock } = next.joined.store.serviceTime;
    expect(clock.now() - Date.now()).toBeGreaterThan(HOUR_MS - 60_000);
    await expect.poll(() => clock.isKnown, POLLED).toBe(true);
    await expect.poll(() => next.partitions.size, POLLED).toBe(64);
  });
});
