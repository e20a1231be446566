/** Large payloads beside a database: they exist as long as a row names them. */
import { describe, expect, it } from "vitest";
import { StoreUnusableError } from "../../../../emulator/core/store-error.ts";
import { MemoryBlobs } from "../../../contract/store/memory-blobs.ts";
import { openIn } from "../../../contract/store/postgres-subject.ts";
import {
  bytesAt,
  deleted,
  inserted,
  type Owner,
  pattern,
  put,
  stageOne,
  under,
} from "../../../contract/store/subject.ts";
import { postgresIsMissing } from "../../../setup/postgres.ts";
import { SOON, testDatabase } from "./database.ts";

const LARGE = pattern(400_000);
const DAY_MS = 24 * 3_600_000;

async function jobWithOutput(owner: Owner) {
  const job = owner.newJob();
  await owner.flush([inserted(job)], [put(job, "output", await stageOne(owner.store, LARGE))]);
  return job;
}

describe.skipIf(postgresIsMissing !== undefined)("large payloads beside a database", () => {
  it("are deleted with the last row that names them: replaced, deleted, or shared with a pruned delivery", async () => {
    await using database = await testDatabase();
    const blobs = new MemoryBlobs();
    const owner = await database.open({ blobs });
    const [replaced, gone, shared] = [
      await jobWithOutput(owner),
      await jobWithOutput(owner),
      await jobWithOutput(owner),
    ];
    expect(blobs.held.size).toBe(3);
    await owner.change(put(replaced, "output", { kind: "inline", bytes: pattern(9) }));
    await expect.poll(() => blobs.held.size).toBe(2);
    await owner.change(deleted(gone));
    await expect.poll(() => blobs.held.size).toBe(1);
    const { seq, insert, stored } = owner.deliveryOf(shared);
    const share = { type: "share-payload", ...under(shared), slot: "output", toSeq: seq } as const;
    await owner.change(share, insert, deleted(shared));
    expect((await bytesAt(owner.store, seq, "output"))?.equals(LARGE)).toBe(true);
    const settled = {
      ...stored(LARGE.length),
      state: "delivered",
      nextTryAt: undefined,
      settledAt: 1,
    } as const;
    await owner.change(
      { type: "replace-delivery", delivery: settled },
      { type: "prune-deliveries", kept: { settledFrom: 0, maxCount: 0, maxBytes: 0 } },
    );
    await expect.poll(() => blobs.held.size).toBe(0);
  });

  it("of a crashed process are removed a day later, and never if a row names them", async () => {
    await using database = await testDatabase();
    const blobs = new MemoryBlobs();
    const owner = await database.open({ blobs });
    const job = await jobWithOutput(owner);
    for (const name of ["left long ago", "being staged by another"]) await blobs.put(name, [LARGE]);
    for (const [name, held] of blobs.held)
      if (name !== "being staged by another") held.writtenAt -= DAY_MS + 1_000;
    expect(await owner.store.check()).toEqual([]);
    expect([...blobs.held.keys()]).not.toContain("left long ago");
    expect([...blobs.held.keys()]).toContain("being staged by another");
    expect((await bytesAt(owner.store, job.seq, "output"))?.equals(LARGE)).toBe(true);
  });

  it("that are missing or changed are damage of that payload alone", async () => {
    await using database = await testDatabase();
    const blobs = new MemoryBlobs();
    const owner = await database.open({ blobs });
    const [missing, changed, short] = [
      await jobWithOutput(owner),
      await jobWithOutput(owner),
      await jobWithOutput(owner),
    ];
    const [first = "", second = "", third = ""] = blobs.held.keys();
    blobs.held.delete(first);
    await blobs.put(second, [pattern(LARGE.length, 7)]);
    await blobs.put(third, [LARGE.subarray(1)]);
    await expect(bytesAt(owner.store, missing.seq, "output")).rejects.toThrow("is missing");
    await expect(bytesAt(owner.store, changed.seq, "output")).rejects.toThrow("its checksum");
    await expect(bytesAt(owner.store, short.seq, "output")).rejects.toThrow("is too short");
    const damaged = await owner.store.payload(changed.seq, "output");
    await expect(damaged?.open()).rejects.toThrow("its checksum");
    await owner.insert();
  });

  it("prevent a start of the database without them", async () => {
    await using database = await testDatabase();
    const owner = await database.open({ blobs: new MemoryBlobs() });
    await jobWithOutput(owner);
    await owner.store.close();
    const refused = openIn(database.url, { times: { ...SOON, lease: 600_000 } });
    await expect(refused).rejects.toBeInstanceOf(StoreUnusableError);
    await expect(refused).rejects.toThrow("are in an object store");
    await database.open({ blobs: new MemoryBlobs() });
  });
});
