/** Floor: an append made durable, as every commit must at least do. */
import fs from "node:fs";
import path from "node:path";
import { type Floor, medianOf } from "./floor.ts";

/** Minimum write of a commit, bytes. */
const BLOCK_BYTES = 4096;

/** On the disk that holds `folder`, where the data directories and Redis's file lie as well. */
export function fdatasyncFloor(folder: string, bytes = 0): Floor {
  const block = Buffer.alloc(Math.max(bytes, BLOCK_BYTES), 1);
  const file = path.join(folder, "fdatasync-floor");
  const descriptor = fs.openSync(file, "a");
  return {
    p50Ms: (count) =>
      medianOf(count, async () => {
        fs.writeSync(descriptor, block);
        fs.fdatasyncSync(descriptor);
      }),
    [Symbol.asyncDispose]: async () => {
      fs.closeSync(descriptor);
      fs.rmSync(file, { force: true });
    },
  };
}
