/** Floor: a durable append, the minimum work of every commit. */
import fs from "node:fs";
import path from "node:path";
import { type Floor, medianOf } from "./floor.ts";

/** Minimum write of a commit, bytes. */
const BLOCK_BYTES = 4096;

/** Measures the disk of `folder`, which also has the data directories and Redis's file. */
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
