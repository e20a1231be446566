/** Unfinished multipart uploads end after a day of service time, with the files of their parts. */
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { DiskObjectStore } from "../../../emulator/objects/disk/disk-object-store.ts";
import type { Bucket } from "../../../emulator/objects/object-store.ts";
import { FakeClock } from "../../fake-clock.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

const HOUR_MS = 3_600_000;
const PLAIN = { headers: {}, metadata: {} };

async function* content(text: string) {
  yield Buffer.from(text);
}

async function begun(bucket: Bucket, key: string) {
  const upload = await bucket.uploads.create(key, PLAIN);
  for (const number of [1, 2]) await bucket.uploads.putPart(upload, number, content(key));
  return upload;
}

it("unfinished uploads end 24 h after their begin in every bucket and volume, over restarts, however many there are", async () => {
  using directory = temporaryDirectory();
  const clock = new FakeClock();
  const volume = path.join(directory.path, "volume");
  fs.mkdirSync(volume);
  const data = path.join(directory.path, "objects");
  const open = async () => {
    const store = new DiskObjectStore({ directory: data, now: () => 0 });
    store.expireUploads(clock);
    return { store, volumes: await store.volumeBucket("volume", volume) };
  };
  const first = await open();
  const bucket = first.store.createBucket("bucket");
  for (let upload = 0; upload < 130; upload += 1) await begun(bucket, `old ${upload}`);
  await begun(first.volumes, "old");
  await clock.advance(10 * HOUR_MS);
  const young = await begun(bucket, "young");
  await first.store.close();

  const { store, volumes } = await open();
  const files = () => fs.readdirSync(path.join(data, "blobs")).length;
  const again = store.bucket("bucket");
  await clock.advance(14 * HOUR_MS - 1);
  expect([(await again.uploads.list()).length, files()]).toEqual([131, 264]);
  await clock.advance(1);
  expect(await again.uploads.list()).toEqual([young]);
  expect(await volumes.uploads.list()).toEqual([]);
  await expect.poll(files).toBe(2);
  await clock.advance(9 * HOUR_MS);
  const whole = await again.uploads.complete(young, { numbers: [1, 2] });
  expect(whole.sizeBytes).toBe(10);
  const last = await begun(again, "last");
  await clock.advance(24 * HOUR_MS);
  await expect(again.uploads.find("last", last.id)).rejects.toThrow("upload");
  await expect.poll(files).toBe(2);
  await store.close();
  expect(clock.armed).toBe(0);
});
