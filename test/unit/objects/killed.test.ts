/**
 * A process that is killed while it puts objects leaves only complete ones, none older than the last acknowledged
 * one.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { expect, it } from "vitest";
import { DiskObjectStore } from "../../../emulator/objects/disk/disk-object-store.ts";
import type { Bucket } from "../../../emulator/objects/object-store.ts";
import { pattern, read } from "../../contract/objects/subject.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

const WRITER = path.resolve(import.meta.dirname, "../../fixtures/objects/puts-until-killed.ts");

/** Returns the newest acknowledged seed of each object, by bucket and key. */
async function putUntilKilled(directory: string, volume: string, acknowledgements: number) {
  const writer = spawn(process.execPath, [WRITER, directory, volume], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const acknowledged = new Map<string, number>();
  let count = 0;
  for await (const line of readline.createInterface({ input: writer.stdout })) {
    const [bucket = "", key = "", seed] = line.split("\t");
    if (seed === undefined || !/^\d+$/.test(seed)) continue;
    acknowledged.set(`${bucket}\t${key}`, Number(seed));
    count += 1;
    if (count === acknowledgements) writer.kill("SIGKILL");
  }
  if (writer.exitCode === null && writer.signalCode === null) await once(writer, "exit");
  expect(writer.signalCode).toBe("SIGKILL");
  expect(count).toBeGreaterThanOrEqual(acknowledgements);
  return acknowledged;
}

/** Checks that an object has the content of a seed at or after the newest acknowledged one. */
async function expectWhole(bucket: Bucket, key: string, seed: number): Promise<void> {
  const found = await read(bucket, key);
  const candidates = [seed, ...Array.from({ length: 40 }, (_, step) => seed + step + 1)];
  const isWhole = candidates.some((candidate) =>
    pattern(50_000 + (candidate % 977), candidate).equals(found),
  );
  expect(isWhole, `${bucket.name} ${key}`).toBe(true);
}

function namesIn(directory: string): readonly string[] {
  return fs.existsSync(directory) ? fs.readdirSync(directory) : [];
}

it("after SIGKILL every acknowledged object exists and is whole, and no unfinished one is left", async () => {
  using temporary = temporaryDirectory();
  const directory = path.join(temporary.path, "data");
  const volume = path.join(temporary.path, "volume");
  fs.mkdirSync(volume);
  for (const acknowledgements of [1, 40, 150]) {
    const acknowledged = await putUntilKilled(directory, volume, acknowledgements);
    const store = new DiskObjectStore({ directory, now: Date.now });
    const volumeBucket = await store.volumeBucket("volume", volume);
    for (const [name, seed] of acknowledged) {
      const [bucket = "", key = ""] = name.split("\t");
      await expectWhole(store.bucket(bucket), key, seed);
    }
    expect(namesIn(path.join(volume, ".sv-objects"))).toEqual([]);
    for (const bucket of [volumeBucket, store.bucket("endpoint")]) {
      for (const upload of await bucket.uploads.list()) await bucket.uploads.abort(upload);
      const { items } = await bucket.list({ maxEntries: 1_000 });
      for (const { key } of items) await bucket.delete(key);
    }
    await store.swept;
    await store.close();
    expect(namesIn(path.join(directory, "blobs"))).toEqual([]);
  }
});
