/** Metrics of the disk space of a data directory. */
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { startEmulator } from "../../../../emulator/emulator.ts";
import { shareOf } from "../../../../emulator/assembly/store/directory-share.ts";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";

const KINDS = ["database", "payloads", "objects", "volumes", "damaged", "other"];
const ADMIN_KEY = "key-of-the-admin";
const BLOCK = 4_096;

it("each file counts for one kind, a link counts as a link, and links out of the directory are not followed", async () => {
  using directory = temporaryDirectory();
  const write = (name: string, blocks: number) => {
    const file = path.join(directory.path, "data", name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, Buffer.alloc(blocks * BLOCK, 1));
  };
  write("store.db", 4);
  write("store.db-wal", 8);
  write("payloads/a", 16);
  write("objects/blobs/deep/b", 32);
  write("volumes/v/w/c", 64);
  write("damaged-12/d", 128);
  write("else/e", 256);
  fs.writeFileSync(path.join(directory.path, "outside"), Buffer.alloc(1_024 * BLOCK, 1));
  fs.symlinkSync("../../../outside", path.join(directory.path, "data/volumes/v/link"));
  const ask = shareOf(path.join(directory.path, "data"));
  const share = await ask();
  const blocks = [12, 16, 32, 64, 128, 256];
  for (const [at, kind] of KINDS.entries()) {
    const bytes = share?.get(kind) ?? 0;
    // Directories themselves take a few blocks on some file systems.
    expect(bytes).toBeGreaterThanOrEqual((blocks[at] ?? 0) * BLOCK);
    expect(bytes).toBeLessThan(((blocks[at] ?? 0) + 16) * BLOCK);
  }
  write("payloads/later", 64);
  // The directory is scanned once a minute.
  expect(await ask()).toBe(share);
});

it("the metrics have every kind if there is a data directory", async () => {
  using directory = temporaryDirectory();
  const metrics = async (dataDir?: string) => {
    await using emulator = await startEmulator({
      port: 0,
      adminKey: ADMIN_KEY,
      ...(dataDir && { dataDir }),
    });
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    return await (await fetch(`${emulator.url}/metrics`, { headers })).text();
  };
  const text = await metrics(path.join(directory.path, "data"));
  for (const kind of KINDS)
    expect(text).toMatch(new RegExp(`^sv_data_directory_bytes\\{kind="${kind}"\\} \\d+$`, "m"));
  expect(text).not.toMatch(/kind="database"\} 0$/m);
  expect(await metrics()).not.toContain("sv_data_directory_bytes");
});
