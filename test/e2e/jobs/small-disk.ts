/** A small disk with a data directory on it, which a test can fill to the last byte. */
import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { mountTmpfs } from "../../setup/tmpfs.ts";

const DISK_BYTES = 16_000_000;

export function makeSmallDisk() {
  const disk = mountTmpfs(DISK_BYTES);
  const ballast = path.join(disk.path, "ballast");
  return {
    dataDir: path.join(disk.path, "data"),
    fill() {
      const file = fs.openSync(ballast, "w");
      try {
        for (;;) fs.writeSync(file, Buffer.alloc(4096));
      } catch (error) {
        expect(error).toHaveProperty("code", "ENOSPC");
      } finally {
        fs.closeSync(file);
      }
    },
    makeRoom: () => fs.rmSync(ballast),
    [Symbol.dispose]: () => disk[Symbol.dispose](),
  };
}
