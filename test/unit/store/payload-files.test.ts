/** Files of large payloads beside the database: their life, and their state after a crash. */
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { Job } from "../../../emulator/core/jobs/job.ts";
import type { Change } from "../../../emulator/store/batch.ts";
import type { Payload } from "../../../emulator/store/payload.ts";
import {
  ALL_CHUNKS,
  bytesAt,
  deleted,
  inserted,
  type Owner,
  pattern,
  put,
  stageOne,
  textsOf,
  under,
} from "../../contract/store/subject.ts";
import { storeOnDisk } from "./on-disk.ts";

const LARGE = pattern(300_000);

async function insertWithInput(owner: Owner): Promise<Job> {
  const job = owner.newJob();
  const input = await stageOne(owner.store, LARGE);
  await owner.flush([inserted(job)], [put(job, "input", input)]);
  return job;
}

function append(seq: number, firstIndex: number, lines: Payload): Change {
  return { type: "append-chunks", ...under({ seq }), batch: { firstIndex, count: 1, lines } };
}

function nameOf(payload: Payload): string {
  return payload.kind === "file" ? payload.name : "";
}

it("a payload becomes a file, readable for its owner only, from 256 kB on", async () => {
  await using disk = await storeOnDisk();
  expect(await stageOne(disk.store, pattern(255_999))).toMatchObject({ kind: "inline" });
  expect(disk.files()).toEqual([]);
  const staged = await stageOne(disk.store, pattern(256_000));
  expect(staged).toMatchObject({ kind: "file", sizeBytes: 256_000 });
  const file = path.join(disk.payloads, nameOf(staged));
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.readFileSync(file).equals(pattern(256_000))).toBe(true);
});

it("a file is removed with the job, the slot, the chunks or the value that referred to it", async () => {
  await using disk = await storeOnDisk();
  const { owner, store } = disk;
  const [a, b, c] = [
    await insertWithInput(owner),
    await insertWithInput(owner),
    await insertWithInput(owner),
  ];
  await owner.change(append(c.seq, 0, await stageOne(store, LARGE)));
  const replacement = await stageOne(store, LARGE);
  expect(disk.files()).toHaveLength(5);
  await owner.change(
    deleted(a),
    { type: "remove-payload", ...under(b), slot: "input" },
    put(c, "input", replacement),
    { type: "remove-chunks", ...under(c) },
  );
  await disk.close();
  expect(disk.files()).toEqual([nameOf(replacement)]);
});

it("a file stays when the batch that dropped it is refused", async () => {
  await using disk = await storeOnDisk();
  const job = await insertWithInput(disk.owner);
  const refused = disk.owner.change(deleted(job), deleted(job));
  await expect(refused).rejects.toThrow("is not stored");
  const store = await disk.reopen();
  expect((await bytesAt(store, job.seq, "input"))?.equals(LARGE)).toBe(true);
});

it("a discarded payload loses its file at once, and a stored one keeps it", async () => {
  await using disk = await storeOnDisk();
  const { owner, store } = disk;
  const [unused, used] = [await stageOne(store, LARGE), await stageOne(store, LARGE)];
  const { seq } = await owner.insert();
  await owner.change(put({ seq }, "input", used));
  await store.discard(unused);
  await store.discard(used);
  expect(disk.files()).toEqual([nameOf(used)]);
});

it("payloads staged together share a file, which stays while one of them is stored", async () => {
  await using disk = await storeOnDisk();
  const { owner, store } = disk;
  const [first, second, third] = await store.stage([LARGE, Buffer.from("small\n"), LARGE]);
  const unused = await store.stage([LARGE, LARGE]);
  if (!first || !second || !third) throw new Error("three parts were staged");
  expect(disk.files()).toHaveLength(2);
  const { seq } = await owner.insert();
  const refused = owner.change(append(seq, 0, first), append(seq, 9, second));
  await expect(refused).rejects.toThrow("is not the next one");
  await owner.change(append(seq, 0, second));
  await expect(owner.change(append(seq, 1, second))).rejects.toThrow("was not staged");
  for (const payload of [first, second, third, ...unused]) await store.discard(payload);
  expect(disk.files()).toEqual([nameOf(second)]);
  const reopened = await disk.reopen();
  expect(textsOf(await reopened.chunks(seq, ALL_CHUNKS))).toEqual(["small"]);
  await reopened.flush(owner.batchOf([], [{ type: "remove-chunks", ...under({ seq }) }]));
  await disk.close();
  expect(disk.files()).toEqual([]);
});

it("files without a row are removed after the next start found no damage, and all others stay", async () => {
  await using disk = await storeOnDisk();
  const job = await insertWithInput(disk.owner);
  const [kept = ""] = disk.files();
  await stageOne(disk.store, LARGE);
  await disk.close();
  const left = "0f0f0f0f-0000-4000-8000-000000000000";
  fs.writeFileSync(path.join(disk.payloads, left), "half writ");
  fs.writeFileSync(path.join(disk.payloads, "notes.txt"), "not ours");
  expect(disk.files()).toHaveLength(4);
  const store = await disk.reopen();
  const staged = await stageOne(store, LARGE);
  expect(disk.files()).toHaveLength(5);
  expect(await store.check()).toEqual([]);
  await store.discard(staged);
  expect(disk.files()).toEqual([kept, "notes.txt"].toSorted());
  expect((await bytesAt(store, job.seq, "input"))?.equals(LARGE)).toBe(true);
});

it("a shared file exists once, and is deleted with the last payload that shares it", async () => {
  await using disk = await storeOnDisk();
  const { owner } = disk;
  const job = await insertWithInput(owner);
  const sharer = await owner.insert();
  await owner.change({ type: "share-payload", ...under(job), slot: "input", toSeq: sharer.seq });
  const shared = disk.files();
  expect(shared).toHaveLength(1);
  await owner.change(deleted(job));
  const store = await disk.reopen();
  expect(disk.files()).toEqual(shared);
  await store.flush(owner.batchOf([], [deleted(sharer)]));
  await disk.close();
  expect(disk.files()).toEqual([]);
});
