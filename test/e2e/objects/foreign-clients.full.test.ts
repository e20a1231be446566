/** The object store of a running emulator, used by rclone, s3cmd, curl and the AWS SDK. */
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { randomFillSync } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { s3ProgramsAreMissing } from "../../setup/s3-programs.ts";
import {
  digestOf,
  digestsOf,
  type ObjectEmulator,
  s3cmdArguments,
  startObjectEmulator,
  writeTree,
} from "./object-emulator.ts";

const FILES = 500;
const BIG_BYTES = 100_000_000;

describe.skipIf(s3ProgramsAreMissing !== undefined)("the object store", () => {
  let store: ObjectEmulator;
  let tree: string;
  let big: string;

  beforeAll(async () => {
    store = await startObjectEmulator();
    tree = path.join(store.scratch, "tree");
    big = path.join(store.scratch, "big.bin");
    writeTree(tree, FILES);
    fs.writeFileSync(big, randomFillSync(Buffer.alloc(BIG_BYTES)));
  });

  afterAll(async () => store[Symbol.asyncDispose]());

  describe("with rclone", () => {
    const rclone = async (...args: string[]) => store.run("rclone", ...args);

    it("takes a tree of 500 files and gives it back unchanged", async () => {
      await rclone("sync", tree, "sv:rclone/tree");
      await rclone("check", tree, "sv:rclone/tree", "--download");
      const back = path.join(store.scratch, "rclone-back");
      await rclone("sync", "sv:rclone/tree", back);
      expect(Object.keys(digestsOf(back))).toHaveLength(FILES);
      expect(digestsOf(back)).toEqual(digestsOf(tree));
    });

    it("finds exactly the files that differ, and copies them", async () => {
      const copy = path.join(store.scratch, "changing");
      fs.cpSync(tree, copy, { recursive: true });
      await rclone("sync", copy, "sv:rclone/changing");
      const [removed = "", changed = ""] = Object.keys(digestsOf(copy));
      fs.rmSync(path.join(copy, removed));
      fs.writeFileSync(path.join(copy, changed), "another content");
      fs.writeFileSync(path.join(copy, "new"), "new");
      // The check fails with a list of differences.
      const checked = await rclone("check", copy, "sv:rclone/changing", "--combined=-").catch(
        (error: { readonly stdout: string }) => error.stdout,
      );
      const differences = checked.split("\n").filter((line) => /^[^=]/.test(line));
      expect(differences.toSorted()).toEqual([`* ${changed}`, "+ new", `- ${removed}`].toSorted());
      await rclone("sync", copy, "sv:rclone/changing");
      await rclone("check", copy, "sv:rclone/changing");
    });

    it("takes 100 MB in parts and gives them back unchanged", async () => {
      await rclone("copyto", big, "sv:rclone/big", "--s3-upload-cutoff=5M", "--s3-chunk-size=8M");
      await rclone("copyto", "sv:rclone/big", "sv:rclone-2/copy of big");
      const back = path.join(store.scratch, "rclone-big");
      await rclone("copyto", "sv:rclone-2/copy of big", back);
      expect(digestOf(back)).toBe(digestOf(big));
      const open = await rclone("backend", "list-multipart-uploads", "sv:rclone");
      expect(JSON.parse(open)).toEqual({ rclone: [] });
      await rclone("purge", "sv:rclone-2");
      expect(await rclone("lsf", "sv:")).not.toContain("rclone-2/");
    });
  });

  describe("with s3cmd", () => {
    const s3cmd = async (...args: string[]) =>
      store.run("s3cmd", ...s3cmdArguments(store), ...args);

    it("takes a tree of 500 files and gives it back unchanged", async () => {
      await s3cmd("mb", "s3://s3cmd");
      await s3cmd("sync", `${tree}/`, "s3://s3cmd/tree/");
      const back = path.join(store.scratch, "s3cmd-back");
      fs.mkdirSync(back);
      await s3cmd("sync", "s3://s3cmd/tree/", `${back}/`);
      expect(digestsOf(back)).toEqual(digestsOf(tree));
      expect(await s3cmd("sync", `${tree}/`, "s3://s3cmd/tree/")).not.toContain("upload:");
    });

    it("takes 100 MB in parts and gives them back unchanged", async () => {
      await s3cmd("mb", "s3://s3cmd-big");
      await s3cmd("put", big, "s3://s3cmd-big/big", "--multipart-chunk-size-mb=10");
      await s3cmd("cp", "s3://s3cmd-big/big", "s3://s3cmd-big/copy");
      const back = path.join(store.scratch, "s3cmd-big");
      await s3cmd("get", "s3://s3cmd-big/copy", back);
      expect(digestOf(back)).toBe(digestOf(big));
      await s3cmd("rb", "--recursive", "--force", "s3://s3cmd-big");
      expect(await s3cmd("ls")).not.toContain("s3cmd-big");
    });
  });

  describe("with the AWS SDK", () => {
    const Bucket = "aws-sdk";
    let client: S3Client;

    beforeAll(async () => {
      client = sdkClient(store);
      await client.send(new CreateBucketCommand({ Bucket }));
    });

    afterAll(() => client.destroy());

    async function getTo(file: string, Key: string): Promise<void> {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, (await Body?.transformToByteArray()) ?? "");
    }

    it("takes a tree of 500 files and gives it back unchanged", async () => {
      const files = Object.keys(digestsOf(tree));
      await eachOf(files, async (file) => {
        const Body = fs.readFileSync(path.join(tree, file));
        await client.send(new PutObjectCommand({ Bucket, Key: `tree/${file}`, Body }));
      });
      const pages = paginateListObjectsV2({ client, pageSize: 99 }, { Bucket, Prefix: "tree/" });
      const keys: string[] = [];
      for await (const { Contents = [] } of pages)
        keys.push(...Contents.map(({ Key = "" }) => Key));
      expect(keys).toHaveLength(FILES);
      const back = path.join(store.scratch, "sdk-back");
      await eachOf(keys, async (key) => getTo(path.join(back, key.slice("tree/".length)), key));
      expect(digestsOf(back)).toEqual(digestsOf(tree));
    });

    it("takes 100 MB in parts and gives them back unchanged", async () => {
      const params = { Bucket, Key: "big", Body: fs.createReadStream(big) };
      const { ETag } = await new Upload({ client, params, partSize: 10_000_000 }).done();
      expect(ETag).toMatch(/-10"$/);
      const back = path.join(store.scratch, "sdk-big");
      await getTo(back, "big");
      expect(digestOf(back)).toBe(digestOf(big));
      const open = await client.send(new ListMultipartUploadsCommand({ Bucket }));
      expect(open.Uploads).toBeUndefined();
    });
  });

  describe("with curl and presigned addresses", () => {
    const curl = async (...args: string[]) =>
      store.run("curl", "-sS", "-o", "body", "-w", "%{http_code}", ...args);
    const body = () => fs.readFileSync(path.join(store.scratch, "body"), "utf8");

    async function presigned(key: string, expiresIn = 60, signingDate = new Date()) {
      const client = sdkClient(store);
      const target = { Bucket: "shows-environment", Key: key };
      const options = { expiresIn, signingDate };
      const put = await getSignedUrl(client, new PutObjectCommand(target), options);
      const get = await getSignedUrl(client, new GetObjectCommand(target), options);
      client.destroy();
      return { put, get };
    }

    it("uploads and downloads an object by them, whole and in part", async () => {
      const { put, get } = await presigned("a b/ü+.bin");
      expect(await curl("-T", big, put)).toBe("200");
      expect(await store.run("curl", "-sS", "-o", "got", "-w", "%{http_code}", get)).toBe("200");
      expect(digestOf(path.join(store.scratch, "got"))).toBe(digestOf(big));
      expect(await curl("-r", "10-19", get)).toBe("206");
      const part = fs.readFileSync(path.join(store.scratch, "body"));
      expect(part.equals(fs.readFileSync(big).subarray(10, 20))).toBe(true);
    });

    it("refuses unsigned, changed or expired requests with S3's error codes", async () => {
      const { put, get } = await presigned("secret.txt");
      fs.writeFileSync(path.join(store.scratch, "small"), "small");
      expect(await curl("-T", "small", put)).toBe("200");
      const old = await presigned("secret.txt", 60, new Date(Date.now() - 61_000));
      const cases: readonly (readonly [string, string])[] = [
        [get.replace("secret.txt", "secret2txt"), "SignatureDoesNotMatch"],
        [get.replace("X-Amz-Expires=60", "X-Amz-Expires=600"), "SignatureDoesNotMatch"],
        [`${get}&response-content-type=text/html`, "SignatureDoesNotMatch"],
        [get.replace(/(X-Amz-Signature=.{63})./, "$1g"), "SignatureDoesNotMatch"],
        [get.replace(store.accessKeyId, "SVSOMEBODYELSE"), "InvalidAccessKeyId"],
        [old.get, "AccessDenied"],
        [get.split("?")[0] ?? "", "AccessDenied"],
        [`${store.endpoint}/`, "AccessDenied"],
      ];
      for (const [address, code] of cases) {
        expect.soft(await curl(address), address).toBe("403");
        expect.soft(body()).toContain(`<Code>${code}</Code>`);
      }
      const usedOtherwise = [["-T", "small", get], ["-X", "DELETE", put], [put]];
      for (const args of usedOtherwise) expect.soft(await curl(...args)).toBe("403");
      expect(await curl(get)).toBe("200");
      expect(body()).toBe("small");
    });
  });
});

function sdkClient({ endpoint, accessKeyId, secretAccessKey }: ObjectEmulator): S3Client {
  return new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
}

/** Calls `work` for some items at a time. */
async function eachOf(items: readonly string[], work: (item: string) => Promise<void>) {
  const left = items.values();
  const hand = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: 16 }, hand));
}
