/** Floor: a 4 kB append made durable, as every commit must at least do. */
import fs from "node:fs";
import path from "node:path";
import { type Floor, medianOf } from "./floor.ts";

const BLOCK = Buffer.alloc(4096, 1);

/** On the disk that holds `folder`, where the data directories and Redis's file lie as well. */
export function fdatasyncFloor(folder: string): Floor {
  const file = path.join(folder, "fdatasync-floor");
  const descriptor = fs.openSync(file, "a");
  return {
    what: "fdatasync of a 4 kB append",
    p50Ms: (count) =>
      medianOf(count, async () => {
        fs.writeSync(descriptor, BLOCK);
        fs.fdatasyncSync(descriptor);
      }),
    [Symbol.asyncDispose]: async () => {
      fs.closeSync(descriptor);
      fs.rmSync(file, { force: true });
    },
  };
}
