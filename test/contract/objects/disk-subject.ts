/** Buckets of the store on disk, for its contract and for tests of this store alone. */
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { DiskObjectStore } from "../../../emulator/objects/disk/disk-object-store.ts";
import type { Bucket } from "../../../emulator/objects/object-store.ts";
import type { BucketSubject } from "./subject.ts";

export interface DiskSubject extends BucketSubject {
  readonly store: DiskObjectStore;
  /** Root of the volume of both kinds. */
  readonly volume: string;
}

export async function openOnDisk(
  kind: "endpoint" | "volume",
  directory?: string,
): Promise<DiskSubject> {
  const root = directory ?? (await fs.mkdtemp(path.join(os.tmpdir(), "sv-objects-")));
  const volume = path.join(root, "volume");
  const data = path.join(root, "data");
  await fs.mkdir(volume, { recursive: true });
  const clock = { now: Date.UTC(2026, 0, 1) };
  let store = new DiskObjectStore({ directory: data, now: () => clock.now });
  const bucketOf = async (): Promise<Bucket> => {
    if (kind === "volume") return store.volumeBucket("bucket", volume);
    const known = store.buckets().find(({ name }) => name === "bucket");
    return known ?? store.createBucket("bucket");
  };
  return {
    get store() {
      return store;
    },
    bucket: await bucketOf(),
    clock,
    directory: root,
    volume,
    async reopen() {
      await store.close();
      store = new DiskObjectStore({ directory: data, now: () => clock.now });
      return bucketOf();
    },
    contentFiles: async () => [
      ...(await filesIn(volume)),
      ...(await filesIn(path.join(data, "blobs"))),
    ],
    async [Symbol.asyncDispose]() {
      await store.close();
      if (directory === undefined) await fs.rm(root, { recursive: true });
    },
  };
}

async function filesIn(directory: string): Promise<readonly string[]> {
  const entries = await fs.readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)));
}
