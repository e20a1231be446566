/** Readers of large payloads share a few open files, each of which stays until its last reader has finished. */
import { Buffer } from "node:buffer";
import fs from "node:fs";
import { expect, it } from "vitest";
import { pattern, put, stageOne, under } from "../../contract/store/subject.ts";
import { showBatches } from "../../../emulator/engine/streams/shown-batches.ts";
import type { OpenedPayload } from "../../../emulator/core/jobs/opened-payload.ts";
import { PROC } from "../../setup/proc.ts";
import { storeOnDisk } from "./on-disk.ts";
import { sized } from "../../setup/size.ts";

const LARGE = pattern(300_000);
const FILES = sized(30, 100);
const READERS_EACH = 5;
/** Open files between two reads, and those of threads that read. */
const MAX_OPEN = 64 + 8;

async function read(opened: OpenedPayload): Promise<Buffer> {
  const slices: Buffer[] = [];
  for await (const slice of opened.slices()) slices.push(Buffer.from(slice));
  return Buffer.concat(slices);
}

/** Open files below a directory. */
function openBelow(directory: string): number {
  const open = fs.readdirSync(`${PROC}/self/fd`).flatMap((fd) => {
    try {
      return fs.readlinkSync(`${PROC}/self/fd/${fd}`);
    } catch {
      return [];
    }
  });
  return open.filter((file) => file.startsWith(directory)).length;
}

it.runIf(process.platform === "linux")(
  `${FILES * READERS_EACH} paused readers of ${FILES} payloads have few files open, and then get every byte`,
  async () => {
    await using disk = await storeOnDisk();
    const { owner, store } = disk;
    const seqs: number[] = [];
    for (let at = 0; at < FILES; at += 1) {
      const { seq } = await owner.insert();
      await owner.change(put({ seq }, "input", await stageOne(store, LARGE)));
      seqs.push(seq);
    }
    const readers = seqs.flatMap((seq) => Array.from({ length: READERS_EACH }, () => seq));
    const opened = await Promise.all(
      readers.map(async (seq) => (await store.payload(seq, "input"))?.open()),
    );
    const begun = opened.map((payload) => payload?.slices()[Symbol.asyncIterator]());
    await Promise.all(begun.map(async (slices) => slices?.next()));
    expect(openBelow(disk.payloads)).toBeLessThanOrEqual(MAX_OPEN);
    await Promise.all(begun.map(async (slices) => slices?.return?.()));
    for (const payload of opened) {
      expect(payload && (await read(payload)).equals(LARGE)).toBe(true);
      await payload?.[Symbol.asyncDispose]();
    }
    expect(openBelow(disk.payloads)).toBe(0);
  },
);

it("the file of a deleted payload stays until its last reader has finished", async () => {
  await using disk = await storeOnDisk();
  const { owner, store } = disk;
  const { seq } = await owner.insert();
  await owner.change(put({ seq }, "input", await stageOne(store, LARGE)));
  const payload = await store.payload(seq, "input");
  const [first, second] = [await payload?.open(), await payload?.open()];
  await owner.change({ type: "remove-payload", ...under({ seq }), slot: "input" });
  await first?.[Symbol.asyncDispose]();
  await first?.[Symbol.asyncDispose]();
  expect(disk.files()).toHaveLength(1);
  expect(second && (await read(second)).equals(LARGE)).toBe(true);
  await second?.[Symbol.asyncDispose]();
  expect(disk.files()).toEqual([]);
  expect(await payload?.open()).toBeUndefined();
});

it("a damaged file is reported to each of its readers, and to the next one after them", async () => {
  await using disk = await storeOnDisk();
  const { owner, store } = disk;
  const { seq } = await owner.insert();
  await owner.change(put({ seq }, "input", await stageOne(store, LARGE)));
  const [name = ""] = disk.files();
  fs.writeFileSync(`${disk.payloads}/${name}`, pattern(300_001).subarray(1));
  const payload = await store.payload(seq, "input");
  const opened = await Promise.allSettled([payload?.open(), payload?.open(), payload?.bytes()]);
  expect(opened.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  await expect(payload?.open()).rejects.toThrow("does not match its checksum");
  expect(openBelow(disk.payloads)).toBe(0);
});

it("a reader of a batch in a file gets only the chunks of its window, from any index on", async () => {
  await using disk = await storeOnDisk();
  const { owner, store } = disk;
  const { seq } = await owner.insert();
  const texts = Array.from({ length: 12 }, (_, at) => String(at).repeat(30_000 + at));
  const lines = await stageOne(store, Buffer.from(`${texts.join("\n")}\n`));
  const batch = { firstIndex: 0, count: texts.length, lines };
  await owner.change({ type: "append-chunks", ...under({ seq }), batch });
  for (const [from, maxCount] of [
    [0, Infinity],
    [0, 5],
    [1, 1],
    [7, Infinity],
    [11, 9],
    [12, 9],
  ] as const) {
    const window = { from, maxCount, maxBytes: 1 };
    const shown = await showBatches(await store.chunkBatches(seq, window), window);
    const wanted = texts.slice(from, from + maxCount).map((text) => `${text}\n`);
    const pieces: string[] = [];
    for (const { lines: payload, count } of shown) {
      if (payload instanceof Uint8Array) throw new Error("a large batch lies in a file");
      const bytes = await read(payload);
      expect([count, payload.sizeBytes]).toEqual([wanted.length, bytes.byteLength]);
      pieces.push(bytes.toString());
      await payload[Symbol.asyncDispose]();
    }
    expect(pieces.join("")).toBe(wanted.join(""));
  }
});
