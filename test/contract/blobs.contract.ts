/** The contract of the port of large payloads. Run against our own S3 server by `blobs.test.ts`, and against a foreign one. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Blobs } from "../../emulator/store/blobs/blobs.ts";
import { StoreClosedError } from "../../emulator/core/store-error.ts";
import { inParallel } from "../../runtime/storage/upload/in-parallel.ts";

const MB = 1_000_000;
/** Number of payloads: more than a service lists at once. */
const MANY = 1_010;

export interface BlobsService extends AsyncDisposable {
  /** Opens it like another process: the same place for one prefix. */
  open(prefix: string): Promise<Blobs>;
}

export function blobsContract(name: string, start: () => Promise<BlobsService>): void {
  describe(`large payloads, ${name}`, () => {
    let service: BlobsService;
    let prefixes = 0;

    beforeAll(async () => {
      service = await start();
    });

    afterAll(() => service?.[Symbol.asyncDispose]());

    const newPrefix = (): string => `prefix-${(prefixes += 1)}`;

    async function withBlobs(use: (blobs: Blobs, prefix: string) => Promise<void>): Promise<void> {
      const prefix = newPrefix();
      const blobs = await service.open(prefix);
      try {
        await use(blobs, prefix);
      } finally {
        await blobs.close();
      }
    }

    it("parts come back in order, to each opener of the place", () =>
      withBlobs(async (blobs, prefix) => {
        await blobs.put("three", [Buffer.from("one "), Buffer.from(""), Buffer.from("two")]);
        await blobs.put("nothing", [new Uint8Array()]);
        const other = await service.open(prefix);
        expect(String(await bytesOf(other, "three", 0, 7))).toBe("one two");
        expect(String(await bytesOf(other, "nothing", 0, 0))).toBe("");
        await other.close();
      }));

    it("20 MB come back unchanged, in slices", () =>
      withBlobs(async (blobs) => {
        const large = randomBytes(20 * MB);
        await blobs.put("large", [large.subarray(0, 7), large.subarray(7)]);
        await using opened = await blobs.read("large", 0, large.length);
        const slices = await Array.fromAsync(opened?.slices() ?? [], (slice) => Buffer.from(slice));
        expect(slices.length).toBeGreaterThan(20);
        expect(Buffer.concat(slices).equals(large)).toBe(true);
      }));

    it("only the bytes of a range are read, and a range beyond the end is shortened", () =>
      withBlobs(async (blobs) => {
        await blobs.put("digits", [Buffer.from("0123456789")]);
        const read = async (offset: number, sizeBytes: number) =>
          String(await bytesOf(blobs, "digits", offset, sizeBytes));
        expect(await read(3, 4)).toBe("3456");
        expect(await read(3, 0)).toBe("");
        expect(await read(8, 4)).toBe("89");
        expect(await read(10, 4)).toBe("");
        expect(await read(4_000, 4)).toBe("");
      }));

    it("reading a missing blob gives undefined, and removing it succeeds", () =>
      withBlobs(async (blobs) => {
        expect(await blobs.read("never", 0, 1)).toBeUndefined();
        await blobs.remove("never");
        await blobs.put("gone", [Buffer.from("x")]);
        await blobs.remove("gone");
        expect(await blobs.read("gone", 0, 1)).toBeUndefined();
      }));

    it("equal bytes may be put again under one name", () =>
      withBlobs(async (blobs) => {
        await blobs.put("twice", [Buffer.from("same")]);
        await blobs.put("twice", [Buffer.from("same")]);
        expect(String(await bytesOf(blobs, "twice", 0, 4))).toBe("same");
      }));

    it("a read may stop before the blob's end", () =>
      withBlobs(async (blobs) => {
        await blobs.put("long", [randomBytes(5 * MB)]);
        for (let time = 0; time < 20; time += 1) {
          await using opened = await blobs.read("long", 0, 5 * MB);
          for await (const _ of opened?.slices() ?? []) break;
        }
        await using unread = await blobs.read("long", 0, 5 * MB);
        expect(unread).toBeDefined();
      }));

    it("all payloads are listed with the time they were written, and nothing beside them", () =>
      withBlobs(async (blobs, prefix) => {
        const neighbours = [
          await service.open(`${prefix}-too`),
          await service.open(`${prefix}/in`),
        ];
        for (const neighbour of neighbours) await neighbour.put("neighbour", [Buffer.from("x")]);
        const names = Array.from({ length: MANY }, (_, index) => `blob-${index}`);
        const put = (each: string) => blobs.put(each, [Buffer.from(each)]);
        await inParallel(listed(names), 16, put, () => undefined);
        const found = await Array.fromAsync(blobs.names());
        expect(found.map((blob) => blob.name).toSorted()).toEqual(names.toSorted());
        const ages = found.map(({ writtenAt }) => Math.abs(Date.now() - writtenAt));
        expect(Math.max(...ages)).toBeLessThan(120_000);
        for (const neighbour of neighbours) await neighbour.close();
      }));

    it("a closed place does nothing more, and can be closed twice", async () => {
      const blobs = await service.open(newPrefix());
      await blobs.put("kept", [Buffer.from("x")]);
      await blobs.close();
      await blobs.close();
      await expect(blobs.put("late", [Buffer.from("x")])).rejects.toThrow(StoreClosedError);
      await expect(blobs.read("kept", 0, 1)).rejects.toThrow(StoreClosedError);
      await expect(blobs.remove("kept")).rejects.toThrow(StoreClosedError);
      await expect(Array.fromAsync(blobs.names())).rejects.toThrow(StoreClosedError);
    });
  });
}

async function bytesOf(
  blobs: Blobs,
  name: string,
  offset: number,
  sizeBytes: number,
): Promise<Buffer> {
  await using opened = await blobs.read(name, offset, sizeBytes);
  if (opened === undefined) throw new Error(`there is no blob ${name}`);
  return Buffer.concat(await Array.fromAsync(opened.slices(), (slice) => Buffer.from(slice)));
}

async function* listed(names: readonly string[]): AsyncGenerator<string, void, undefined> {
  yield* names;
}
