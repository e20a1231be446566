/** Reports when a bucket begins to fail and when it works again; a caller's mistake is not a failure. */
import { expect, it } from "vitest";
import { StoreUnusableError } from "../../../../emulator/core/store-error.ts";
import { WatchedBlobs } from "../../../../emulator/store/blobs/watched-blobs.ts";
import { MemoryBlobs } from "../../../contract/store/memory-blobs.ts";

it("a bucket's first failure and the first success after it are reported", async () => {
  const blobs = new MemoryBlobs();
  const told: unknown[] = [];
  let failure: Error | undefined;
  const failing = Object.assign(Object.create(blobs) as MemoryBlobs, {
    put: async (name: string, parts: readonly Uint8Array[]) => {
      if (failure !== undefined) throw failure;
      return blobs.put(name, parts);
    },
  });
  const watched = new WatchedBlobs(failing, (said) => void told.push(said));
  await watched.put("a", [new Uint8Array(3)]);
  expect(told).toEqual([]);
  failure = new TypeError("a defect");
  await expect(watched.put("b", [])).rejects.toBe(failure);
  expect(told).toEqual([]);
  const away = (failure = new StoreUnusableError("it is away"));
  for (const name of ["b", "c"]) await expect(watched.put(name, [])).rejects.toBe(away);
  expect(told).toEqual([away]);
  await watched.read("a", 0, 3);
  await watched.remove("a");
  expect(told).toEqual([away, undefined]);
});
