/** Replicas on one database: those that can run together, and one that is cut off or taken for dead. */
import { describe, expect, it } from "vitest";
import { StoreInUseError, StoreUnusableError } from "../../../../emulator/core/store-error.ts";
import type { Clock } from "../../../../emulator/core/time/clock.ts";
import { createSystemClock } from "../../../../emulator/assembly/system-clock.ts";
import { PartitionsLostError } from "../../../../emulator/store/store.ts";
import { Member } from "../../../contract/ownership/member.ts";
import { LEASES } from "../../../contract/ownership/postgres-shared.ts";
import { endpointOf, POLLED, spread } from "../../../contract/ownership/shared-subject.ts";
import { openIn } from "../../../contract/store/postgres-subject.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { postgresIsMissing } from "../../../setup/postgres.ts";
import { SOON } from "./database.ts";
import { begun, testShared } from "./replica.ts";

const ALL = 64;

describe.skipIf(postgresIsMissing !== undefined)("replicas on one database", () => {
  it("are refused while a process owns it exclusively, and no process gets it exclusively while they run", async () => {
    await using shared = await testShared();
    const sole = await openIn(shared.url, { replica: "the only one", times: SOON });
    const refused = shared.join("short", { times: { lease: 100 } });
    await expect(refused).rejects.toBeInstanceOf(StoreInUseError);
    await expect(refused).rejects.toThrow("in use by another emulator (the only one)");
    await sole.close();
    const one = await begun(shared, "long", { replica: "one of several" });
    const alone = openIn(shared.url, { times: { ...SOON, lease: 100 } });
    await expect(alone).rejects.toBeInstanceOf(StoreInUseError);
    await expect(alone).rejects.toThrow(
      "the database is shared by other emulators (one of several); start this one with --advertise",
    );
    const job = await one.insert("a");
    await one.joined.close();
    const after = await openIn(shared.url, { times: SOON });
    expect(await after.job(job.id)).toEqual(job);
    const { batch, lastSeq, counts } = await after.boot();
    expect([batch, lastSeq, counts.get("a")?.inQueue]).toEqual([1, job.seq, 1]);
    await after.close();
  });

  it("publish their addresses and versions", async () => {
    await using shared = await testShared();
    const one = await begun(shared, "long", { replica: "one", advertise: "http://one:7080" });
    const [state] = one.ownership.replicas();
    expect(state).toMatchObject({ id: "one", address: "http://one:7080", version: "1.2.3" });
    expect(state?.partitions).toHaveLength(ALL);
    expect(Math.abs((state?.startedAt ?? 0) - Date.now())).toBeLessThan(60_000);
    const leftMs = (state?.leaseEndsAt ?? 0) - Date.now();
    expect(leftMs > LEASES.long - 60_000 && leftMs < LEASES.long + 60_000).toBe(true);
  });

  it.each(["cut-reply", "cut-before"] as const)(
    "%s: a replica that was taken for dead during a commit reports the batch's real outcome",
    async (fate) => {
      await using shared = await testShared();
      const one = await begun(shared, "short");
      await one.insert("a");
      const cut = one.joined.proxy.cutAt("COMMIT", fate).then(() => one.joined.proxy.close());
      const storing = one.insert("a");
      void storing.catch(() => undefined);
      await cut;
      const two = await begun(shared, "short");
      await expect.poll(() => two.partitions.size, POLLED).toBe(ALL);
      const found = fate === "cut-reply" ? 2 : 1;
      expect(two.counts.get("a")?.inQueue).toBe(found);
      await two.insert("a");
      await one.joined.proxy.open();
      if (fate === "cut-reply") await storing;
      else await expect(storing).rejects.toBeInstanceOf(PartitionsLostError);
      expect(await one.store.jobsOf("a", 0, 9)).toHaveLength(found + 1);
    },
  );

  it("a replica without its row continues under a new one, and loses its partitions", async () => {
    await using shared = await testShared();
    const one = await begun(shared, "long");
    await one.insert("a");
    await shared.admin.query("DELETE FROM replica");
    await expect(one.insert("a")).rejects.toBeInstanceOf(PartitionsLostError);
    expect(one.losses.flat()).toHaveLength(ALL);
    // Changes without a partition are stored when there is another row.
    await one.putRecord("a");
    await expect.poll(() => one.partitions.size, POLLED).toBe(ALL);
    const job = await one.insert("a");
    expect(one.counts.get("a")?.inQueue).toBe(2);
    expect(await one.store.job(job.id)).toEqual(job);
  });

  it("a running replica takes the partitions of a missing one", async () => {
    await using shared = await testShared();
    const one = await begun(shared, "long");
    await shared.admin.query(
      "UPDATE owner SET replica = 'nobody', epoch = epoch + 1 WHERE partition < 10",
    );
    await expect.poll(() => one.losses.flat().length, POLLED).toBe(10);
    await expect.poll(() => one.partitions.size, POLLED).toBe(ALL);
  });

  it("a replica reloads the stored state if a batch that it gave up was stored after all", async () => {
    await using shared = await testShared();
    const one = await begun(shared, "long", { times: { reconnectFor: 300 } });
    await one.insert("a");
    const { proxy } = one.joined;
    const cut = proxy.cutAt("COMMIT", "cut-reply").then(() => proxy.close());
    await expect(one.insert("a")).rejects.toBeInstanceOf(StoreUnusableError);
    await cut;
    await proxy.open();
    await expect(one.insert("a")).rejects.toBeInstanceOf(PartitionsLostError);
    await expect.poll(() => one.partitions.size, POLLED).toBe(ALL);
    await one.insert("a");
    expect(one.counts.get("a")?.inQueue).toBe(3);
  });

  it("after its clock jumped ahead, a replica trusts nothing before it has renewed its claim", async () => {
    await using shared = await testShared();
    const system = createSystemClock();
    let ahead = 0;
    const clock: Clock = {
      now: () => system.now() + ahead,
      wakeAt: (at, wake) => system.wakeAt(at - ahead, wake),
    };
    const one = await begun(shared, "short", { clock });
    expect(one.ownership.owns("a")).toBe(true);
    ahead = 10_000;
    expect(one.ownership.owns("a")).toBe(false);
    await expect.poll(() => one.ownership.owns("a"), POLLED).toBe(true);
    expect(one.losses).toEqual([]);
  });

  it("after a failed first renewal, a replica has begun with the next one", async () => {
    await using shared = await testShared();
    const clock = new FakeClock();
    const joined = await shared.join("long", { clock, times: { renewEvery: 1_000 } });
    const one = new Member(joined, await joined.store.boot());
    const isCut = joined.proxy.cutAt("peers", "cut-before");
    let hasBegun = false;
    void joined.ownership.begin(one).then(() => (hasBegun = true));
    await isCut;
    await clock.settle();
    expect([hasBegun, one.partitions.size]).toEqual([false, 0]);
    const hasBegunLater = () => clock.advance(1_000).then(() => hasBegun);
    await expect.poll(hasBegunLater, POLLED).toBe(true);
    expect(one.partitions.size).toBe(ALL);
  });

  it("a warning is logged if messages between them are late", async () => {
    await using shared = await testShared();
    const warned: string[] = [];
    const warn = (sentence: string) => void warned.push(sentence);
    const one = await begun(shared, "long", { warn, times: { echo: 600_000 } });
    await one.putRecord("a");
    expect(warned).toEqual([]);
    const system = createSystemClock();
    // For this replica the long step takes no time.
    const wakeAt: Clock["wakeAt"] = (at, wake) => {
      if (at < system.now() + 300_000) return system.wakeAt(at, wake);
      wake();
      return () => undefined;
    };
    const clock = { now: () => system.now(), wakeAt };
    await begun(shared, "long", { warn, clock, times: { echo: 600_000 } });
    expect(warned).toEqual([expect.stringContaining("a pooler")]);
  });

  it("no deadlock occurs when one deletes old rows and another changes them", async () => {
    await using shared = await testShared();
    const [one, two] = [await begun(shared, "long"), await begun(shared, "long")];
    await spread([one, two]);
    const [service, other] = one.partitions.has(0) ? [one, two] : [two, one];
    await other.deliver(await other.insert(endpointOf(other)));
    await shared.admin.query("BEGIN");
    await shared.admin.query("UPDATE delivery SET settled_at = 1");
    const kept = { settledFrom: 2, maxCount: 0, maxBytes: 0 };
    await service.flush([], { changes: [{ type: "prune-deliveries", kept }] });
    await shared.admin.query("ROLLBACK");
    expect(await other.store.deliveries.list({}, 9)).toHaveLength(1);
  });
});
