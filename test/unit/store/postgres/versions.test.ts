/** Versions of sv-runtime on one database: each knows the schemas up to its own. */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import {
  StoreInUseError,
  StoreLostError,
  StoreUnusableError,
} from "../../../../emulator/core/store-error.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "../../../../emulator/store/postgres/schema.ts";
import { endpointOf, POLLED, spread } from "../../../contract/ownership/shared-subject.ts";
import { openIn } from "../../../contract/store/postgres-subject.ts";
import { MachineStalls } from "../../../machine-stalls.ts";
import { postgresIsMissing } from "../../../setup/postgres.ts";
import { SOON } from "./database.ts";
import { begun, testShared } from "./replica.ts";

const NOW = SCHEMA_VERSION + MIGRATIONS.length;
/** The next version adds data that this one ignores; the version after it makes a change that stops this one. */
const NEXT = [...MIGRATIONS, { sql: "ALTER TABLE job ADD COLUMN mood text", readableBy: NOW }];
const AFTER_NEXT = [...NEXT, { sql: "ALTER TABLE job DROP COLUMN mood", readableBy: NOW + 1 }];

describe.skipIf(postgresIsMissing !== undefined)("a replica", () => {
  it("runs beside one of the next version, takes over its jobs, and can start again after it", async () => {
    await using shared = await testShared();
    const older = await begun(shared, "long");
    const before = await older.insert("a");
    const newer = await begun(shared, "long", { migrations: NEXT });
    await spread([older, newer]);
    const [ofOlder, ofNewer] = [endpointOf(older), endpointOf(newer)];
    const jobs = [await older.insert(ofOlder), await newer.insert(ofNewer)];
    await newer.joined.close();
    await expect.poll(() => older.partitions.size, POLLED).toBe(64);
    jobs.push(await older.insert(ofNewer));
    await older.joined.close();
    const again = await begun(shared, "long");
    for (const job of [before, ...jobs]) expect(await again.store.job(job.id)).toEqual(job);
    await again.insert(ofOlder);
  });

  it("blocks the start of a newer version with tables it cannot use, until it is gone; then it is refused itself", async () => {
    await using shared = await testShared();
    const older = await begun(shared, "long", { replica: "the older one" });
    const job = await older.insert("a");
    const refused = shared.join("short", { migrations: AFTER_NEXT, times: { lease: 300 } });
    await expect(refused).rejects.toBeInstanceOf(StoreInUseError);
    await expect(refused).rejects.toThrow(
      "used by emulators of an older version (the older one), which cannot work",
    );
    const { rows } = await shared.admin.query("SELECT max(version) FROM migration");
    expect(rows).toEqual([{ max: NOW }]);
    await older.insert("a");
    await older.joined.close();
    const newer = await begun(shared, "long", { migrations: AFTER_NEXT });
    expect((await newer.store.job(job.id))?.id).toBe(job.id);
    const late = shared.join("short");
    await expect(late).rejects.toBeInstanceOf(StoreUnusableError);
    await expect(late).rejects.toThrow(
      `its schema is ${NOW + 2}, which needs a version that knows schema ${NOW + 1}; this one knows ${NOW}`,
    );
    await newer.insert("a");
    const between = await begun(shared, "long", { migrations: NEXT });
    await spread([newer, between]);
  });

  it("that was frozen during a change of the schema stores nothing when it continues, and ends with a message", async () => {
    await using shared = await testShared();
    const lost = Promise.withResolvers<StoreLostError>();
    const older = await begun(shared, "short", { onLost: lost.resolve });
    const job = await older.insert("a");
    older.joined.freeze();
    const newer = await begun(shared, "long", { migrations: AFTER_NEXT });
    older.joined.wake();
    const late = older.insert("a");
    await expect(late).rejects.toBeInstanceOf(Error);
    expect((await lost.promise).message).toContain("was written by a newer version");
    await expect(older.insert("a")).rejects.toBeInstanceOf(StoreLostError);
    expect(newer.counts.get("a")?.inQueue).toBe(1);
    expect((await newer.store.jobsOf("a", 0, 9)).map(({ id }) => id)).toEqual([job.id]);
  });
});

describe.skipIf(postgresIsMissing !== undefined)("a migration", () => {
  it("does not wait for a dump: users of the database continue, and the start is refused with the reason", async () => {
    await using shared = await testShared();
    const older = await begun(shared, "long");
    await shared.admin.query("BEGIN; LOCK TABLE job IN ACCESS SHARE MODE");
    const refused = openIn(shared.url, {
      migrations: NEXT,
      advertise: "http://newer:7080",
      times: { ...SOON, lease: 2_000 },
    });
    void refused.catch(() => undefined);
    await using stalls = await MachineStalls.watch();
    const took: number[] = [];
    const until = performance.now() + 1_500;
    while (performance.now() < until) {
      const from = performance.now();
      await older.insert("a");
      took.push(performance.now() - from);
      await delay(20);
    }
    await expect(refused).rejects.toThrow("a long transaction, such as a dump");
    expect(Math.max(...took)).toBeLessThan(1_500 + stalls.ms);
    await shared.admin.query("COMMIT");
    const newer = await begun(shared, "long", { migrations: NEXT });
    await spread([older, newer]);
  });
});
