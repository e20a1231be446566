/** A full disk: the client gets an error, no unfinished object is visible or left, and the store continues. */
import { ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openOnDisk } from "../../contract/objects/disk-subject.ts";
import { inPieces, keysOf, pattern, PLAIN, put, read } from "../../contract/objects/subject.ts";
import { BUCKET, s3Harness } from "./s3-harness.ts";
import { mountTmpfs, tmpfsIsMissing } from "../../setup/tmpfs.ts";

const DISK_BYTES = 4_000_000;

describe.skipIf(tmpfsIsMissing !== undefined).each(["endpoint", "volume"] as const)(
  "a bucket of an %s on a full disk",
  (kind) => {
    it("the store refuses objects without room, keeps the others, and accepts objects when there is room again", async () => {
      using disk = mountTmpfs(DISK_BYTES);
      await using subject = await openOnDisk(kind, disk.path);
      const { bucket } = subject;
      await put(bucket, "kept", pattern(1_000_000));
      for (const key of ["kept", "new"]) {
        const putting = put(bucket, key, pattern(DISK_BYTES));
        await expect(putting).rejects.toMatchObject({
          code: "InsufficientStorage",
          status: 507,
          message: expect.stringContaining("no room left"),
        });
      }
      expect(await keysOf(bucket)).toEqual(["kept"]);
      expect(pattern(1_000_000).equals(await read(bucket, "kept"))).toBe(true);
      expect(await subject.contentFiles()).toHaveLength(1);
      await put(bucket, "fits", pattern(500_000));
      await bucket.delete("kept");
      await put(bucket, "larger", pattern(1_500_000));
      const reopened = await subject.reopen();
      expect(await keysOf(reopened)).toEqual(["fits", "larger"]);
    });

    it("the store refuses a part without room, and its upload is unharmed", async () => {
      using disk = mountTmpfs(DISK_BYTES);
      await using subject = await openOnDisk(kind, disk.path);
      const { uploads } = subject.bucket;
      const upload = await uploads.create("a", PLAIN);
      await uploads.putPart(upload, 1, inPieces(pattern(100_000)));
      const putting = uploads.putPart(upload, 2, inPieces(pattern(DISK_BYTES)));
      await expect(putting).rejects.toHaveProperty("code", "InsufficientStorage");
      expect(await uploads.parts(upload)).toHaveLength(1);
      const info = await uploads.complete(upload, { numbers: [1] });
      expect(info.sizeBytes).toBe(100_000);
    });

    it("the store can be read without a free byte, and refuses writes of the index as well", async () => {
      using disk = mountTmpfs(DISK_BYTES);
      await using subject = await openOnDisk(kind, disk.path);
      const { bucket, store } = subject;
      await put(bucket, "kept", pattern(10_000));
      const filler = path.join(disk.path, "filler");
      fs.writeFileSync(filler, "");
      expect(() => fs.writeFileSync(filler, Buffer.alloc(DISK_BYTES))).toThrow("ENOSPC");
      await expect(put(bucket, "x", "x")).rejects.toHaveProperty("code", "InsufficientStorage");
      expect(fillWithBuckets(() => store.createBucket(`b${store.buckets().length}`))).toMatchObject(
        {
          code: "InsufficientStorage",
        },
      );
      expect(pattern(10_000).equals(await read(bucket, "kept"))).toBe(true);
      fs.rmSync(filler);
      await put(bucket, "x", "x");
      expect(await keysOf(bucket)).toEqual(["kept", "x"]);
    });
  },
);

it.skipIf(tmpfsIsMissing !== undefined)(
  "a client gets 507, and the usual answer to its next request",
  async () => {
    using disk = mountTmpfs(DISK_BYTES);
    await using s3 = await s3Harness({ directory: path.join(disk.path, "objects") });
    const putting = (Body: Buffer) =>
      s3.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "a", Body }));
    await expect(putting(pattern(DISK_BYTES))).rejects.toMatchObject({
      name: "InsufficientStorage",
      $metadata: { httpStatusCode: 507, attempts: 1 },
    });
    expect(s3.logged).toEqual([expect.stringContaining("has no room left on its disk")]);
    await putting(pattern(1_000_000));
    const list = await s3.client.send(new ListObjectsV2Command({ Bucket: BUCKET }));
    expect(list.Contents).toMatchObject([{ Key: "a", Size: 1_000_000 }]);
  },
);

/** Creates buckets until the index has used the free space within its file. */
function fillWithBuckets(create: () => unknown): unknown {
  for (let count = 0; count < 10_000; count += 1) {
    try {
      create();
    } catch (error) {
      return error;
    }
  }
  return undefined;
}
