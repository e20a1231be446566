/** Reads are compared with their checksums: rows, payloads in rows and in files, chunks. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { PayloadDamagedError } from "../../../../emulator/store/payload.ts";
import { StoreDamagedError } from "../../../../emulator/core/store-error.ts";
import {
  ALL_CHUNKS,
  batch,
  deleted,
  inserted,
  pattern,
  put,
  stageOne,
  under,
} from "../../../contract/store/subject.ts";
import { storeOnDisk } from "../on-disk.ts";
import { change } from "./left-behind.ts";

/** A store with one job that has everything in rows and in files. */
async function oneJob(told: Error[] = []) {
  const disk = await storeOnDisk({ onDamage: (damage) => void told.push(damage) });
  const { owner, store } = disk;
  const job = owner.newJob();
  const { seq } = job;
  const [large, lines] = [
    await stageOne(store, pattern(600_000)),
    await stageOne(store, pattern(300_000)),
  ];
  const append = { type: "append-chunks", ...under({ seq }) } as const;
  await owner.flush(
    [inserted(job)],
    [
      put({ seq }, "input", { kind: "inline", bytes: pattern(200) }),
      put({ seq }, "output", large),
      { ...append, batch: batch(0, "one", "two") },
      { ...append, batch: { firstIndex: 2, count: 1, lines } },
      { type: "put-record", kind: "clock", id: "a", record: { offsetMs: 1 } },
    ],
  );
  const fileOf = (payload: typeof large) =>
    `${disk.payloads}/${payload.kind === "file" ? payload.name : ""}`;
  return { ...disk, job, seq, output: fileOf(large), lines: fileOf(lines) };
}

/** Outcome of a read that must fail because of a damaged payload; the store must know the payload as stored. */
async function damageOf(reading: Promise<unknown>, { store }: Pick<OneJob, "store">) {
  const damage = await reading.catch((error: unknown) => error);
  if (!(damage instanceof PayloadDamagedError)) throw damage;
  expect(await store.isStillStored(damage)).toBe(true);
  return damage;
}

type OneJob = Awaited<ReturnType<typeof oneJob>>;

describe("a payload that differs from the stored one is refused", () => {
  it("in its row", async () => {
    await using disk = await oneJob();
    const { seq } = disk;
    await disk.sql(
      `UPDATE payload SET body = CAST(x'00' || substr(body, 2) AS BLOB) WHERE place % 4 = 0`,
    );
    const store = await disk.reopen();
    const damage = await damageOf(store.payload(seq, "input"), { store });
    expect(damage).toMatchObject({ place: { seq, slot: "input" } });
    expect(damage.message).toContain("the input is damaged");
  });

  it.each([
    ["changed", (file: string) => change(file, 500_000, 1), "does not match its checksum"],
    ["cut", (file: string) => fs.truncateSync(file, 1_000), "is too short"],
    ["removed", (file: string) => fs.rmSync(file), "the output is missing: there is no file"],
  ])(
    "in a file that was %s, before its first byte is returned, while its row names it",
    async (_, harm, sentence) => {
      await using disk = await oneJob();
      const { owner, store, seq } = disk;
      const asked = await store.payload(seq, "output");
      harm(disk.output);
      for (const how of ["bytes", "open"] as const) {
        const damage = await damageOf(asked?.[how]() ?? Promise.resolve(), disk);
        expect(damage.message).toContain(sentence);
        expect(damage.message).toContain(path.basename(disk.output));
      }
      await owner.change(deleted(disk.job));
      expect(await asked?.bytes()).toBeUndefined();
      expect(await asked?.open()).toBeUndefined();
    },
  );

  it("among chunks, in rows and in files", async () => {
    await using rows = await oneJob();
    await rows.sql(
      `UPDATE chunk_batch SET body = CAST(x'00' || substr(body, 2) AS BLOB) WHERE first_index = 0`,
    );
    await using file = await oneJob();
    change(file.lines, 7, 1);
    await using missing = await oneJob();
    fs.rmSync(missing.lines);
    for (const [disk, sentence] of [
      [rows, "the stream is damaged"],
      [file, "the stream is damaged"],
      [missing, "the stream is missing"],
    ] as const) {
      const store = await disk.reopen();
      const damage = await damageOf(store.chunks(disk.seq, ALL_CHUNKS), { store });
      expect(damage.message).toContain(sentence);
    }
  });
});

describe("after a store finds a damaged row it reports it once and stops working", () => {
  it.each([
    ["job", "UPDATE job SET webhook = 'x'"],
    ["payload", "UPDATE payload SET place = place + 400"],
    ["payload", "UPDATE payload SET content_checksum = content_checksum + 1"],
    ["chunk_batch", "UPDATE chunk_batch SET count = count + 1 WHERE first_index = 0"],
    ["record", "UPDATE record SET json = '{}'"],
  ])("the table %s: %s", async (table, harm) => {
    const told: Error[] = [];
    await using disk = await oneJob(told);
    const { job, seq } = disk;
    await disk.sql(harm);
    const store = await disk.reopen();
    const reading = async () => {
      await store.job(job.id);
      await store.payload(seq, "input");
      await store.payload(seq + 100, "input");
      await store.chunks(seq, ALL_CHUNKS);
      await store.boot();
    };
    const first = reading();
    await expect(first).rejects.toBeInstanceOf(StoreDamagedError);
    await expect(first).rejects.toThrow(`a row of the table ${table}`);
    for (const later of [store.flush(disk.owner.batchOf([])), store.job("another")]) {
      await expect(later).rejects.toBeInstanceOf(StoreDamagedError);
      await expect(later).rejects.toThrow("sv-emulate repair");
    }
    expect(told).toHaveLength(1);
  });

  it.each(["UPDATE queue SET retried = 7", "UPDATE sequence SET reserved_seq = 9"])(
    "the store does not open after: %s",
    async (harm) => {
      await using disk = await oneJob();
      await disk.sql(harm);
      await expect(disk.reopen()).rejects.toBeInstanceOf(StoreDamagedError);
    },
  );
});
