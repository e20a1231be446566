/** Another process can take over from one that is frozen or cut off during a batch. */
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { StoreInUseError, StoreLostError } from "../../../../emulator/core/store-error.ts";
import { openIn } from "../../../contract/store/postgres-subject.ts";
import { pattern, put } from "../../../contract/store/subject.ts";
import { postgresIsMissing } from "../../../setup/postgres.ts";
import { startTcpProxy } from "../../../setup/tcp-proxy.ts";
import { SOON, testDatabase, through } from "./database.ts";

const UNDER_WAY = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL
  AND pid <> pg_backend_pid() AND wait_event = 'ClientRead'`;

describe.skipIf(postgresIsMissing !== undefined)("a database with a disconnected owner", () => {
  it("in the middle of a batch is free for another process at the end of the owner's lease", async () => {
    await using database = await testDatabase();
    await using proxy = await startTcpProxy(Number(new URL(database.url).port));
    const lost: unknown[] = [];
    const onLost = (error: unknown) => void lost.push(error);
    const before = await database.open({ url: through(database.url, proxy.port), onLost });
    const job = await before.insert();
    const held = proxy.holdAfter(1_000_000);
    const large = put(job, "output", { kind: "inline", bytes: pattern(8_000_000) });
    const storing = Promise.allSettled([before.change(large)]);
    await held;
    const isHalfThere = async () => (await database.admin.query(UNDER_WAY)).rowCount;
    await expect.poll(isHalfThere).toBe(1);
    const after = await database.open({ times: SOON });
    expect(await after.store.job(job.id)).toEqual(job);
    proxy.letGo();
    expect(await storing).toMatchObject([{ reason: expect.any(StoreLostError) }]);
    expect(lost).toHaveLength(1);
    expect(await after.store.payload(job.seq, "output")).toBeUndefined();
  });

  it("stays with an owner that lost only its connection for batches, which opens another one", async () => {
    await using database = await testDatabase();
    await using proxy = await startTcpProxy(Number(new URL(database.url).port));
    const times = { ...SOON, batch: 1_500 };
    const owner = await database.open({ url: through(database.url, proxy.port), times });
    const first = await owner.insert();
    const lost = proxy.cutAt("COMMIT", "lose");
    const storing = owner.insert();
    await lost;
    const second = await storing;
    expect(await owner.store.waitingJobs("hello", 0, 9)).toEqual([first, second]);
    expect((await owner.store.boot()).batch).toBe(2);
    expect((await database.admin.query(UNDER_WAY)).rowCount).toBe(0);
  });

  it("during the owner's registration delays another start by one claim at most", async () => {
    await using database = await testDatabase();
    await (await database.open()).store.close();
    await database.admin.query("BEGIN");
    await database.admin.query(
      "SELECT pg_advisory_xact_lock(hashtext('sv-runtime ' || current_schema()))",
    );
    const refused = openIn(database.url, { times: SOON });
    await expect(refused).rejects.toThrow(StoreInUseError);
    const waiting = database.open();
    await setTimeout(300);
    await database.admin.query("ROLLBACK");
    await (await waiting).insert();
  });
});
