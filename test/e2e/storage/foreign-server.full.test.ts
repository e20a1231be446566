/** Uploads and downloads against OpenStack Swift, which checks signatures and knows nothing of this project. */
import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import {
  CreateBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { S3Config, UploadBody } from "../../../runtime/storage/contract.ts";
import { JobTransfers } from "../../../runtime/storage/job-transfers.ts";
import { openStore } from "../../../runtime/storage/open-store.ts";
import { openS3Blobs } from "../../../emulator/store/blobs/s3-blobs.ts";
import { blobsContract } from "../../contract/blobs.contract.ts";
import { addressOn } from "../../setup/own-s3.ts";
import { startSwift, type Swift, swiftIsMissing } from "../../setup/swift.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { WorkerProgram } from "../runtime/worker-program.ts";

const BUCKET = "of-tests";
const MB = 1_000_000;

describe.runIf(swiftIsMissing === undefined)("on Swift", () => {
  let swift: Swift;
  let client: S3Client;

  beforeAll(async () => {
    swift = await startSwift();
    const { url: endpoint, accessKeyId, secretAccessKey } = swift;
    client = new S3Client({
      endpoint,
      region: "us-east-1",
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
    });
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  });

  afterAll(async () => {
    client?.destroy();
    await swift?.[Symbol.asyncDispose]();
  });

  /** The transfers of a job with these settings, or with some of them changed. */
  function transfers(changed: S3Config = {}): {
    readonly job: JobTransfers;
    readonly stop: AbortController;
  } {
    const directory = temporaryDirectory();
    onTestFinished(() => directory[Symbol.dispose]());
    const s3Config: S3Config = {
      accessId: swift.accessKeyId,
      accessSecret: swift.secretAccessKey,
      bucketName: BUCKET,
      endpointUrl: swift.url,
      ...changed,
    };
    const stop = new AbortController();
    const job = new JobTransfers({
      openStore: () => openStore(s3Config, {}, { opened() {}, closed() {} }),
      signal: () => stop.signal,
      tempDir: () => directory.path,
    });
    return { job, stop };
  }

  async function openUploads(): Promise<number> {
    const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
    return Uploads?.length ?? 0;
  }

  const five = randomBytes(5 * MB);
  const kinds: Readonly<Record<string, (file: string) => UploadBody>> = {
    "a Buffer": () => five,
    "a Uint8Array": () => new Uint8Array(five),
    "an ArrayBuffer": () => new Uint8Array(five).buffer,
    "a string": () => five.toString("latin1"),
    "a Blob": () => new Blob([five]),
    "a file": (file) => ({ file }),
    "a file URL": (file) => pathToFileURL(file),
    "a Node stream": (file) => fs.createReadStream(file),
    "a web stream": () => ReadableStream.from(cut(five)),
    "an async iterable": (file) => asynchronously(fs.readFileSync(file)),
  };

  test.each(Object.entries(kinds))("5 MB from %s come back unchanged", async (kind, make) => {
    await using tree = await temporaryTree({});
    const file = tree.path("five.bin");
    fs.writeFileSync(file, five);
    const { upload } = transfers().job;
    const { url, sizeBytes, etag } = await upload(`bodies/${kind}`, make(file));
    const expected = kind === "a string" ? Buffer.from(five.toString("latin1")) : five;
    const { sha256, response } = await fetched(url);
    expect(sha256).toBe(sha256Of(expected));
    expect([sizeBytes, etag]).toEqual([
      expected.length,
      response.headers.get("etag")?.replaceAll('"', ""),
    ]);
  });

  test("1 GB from a stream comes back unchanged", async () => {
    const digest = createHash("sha256");
    const piece = randomBytes(MB);
    async function* gigabyte(): AsyncGenerator<Buffer> {
      for (let count = 0; count < 1_000; count++) {
        const next = Buffer.from(piece);
        next.writeUInt32BE(count);
        digest.update(next);
        yield next;
      }
    }
    const { url, sizeBytes } = await transfers().job.upload(
      "one gigabyte",
      Readable.from(gigabyte()),
    );
    expect(sizeBytes).toBe(1_000 * MB);
    expect((await fetched(url)).sha256).toBe(digest.digest("hex"));
    expect(await openUploads()).toBe(0);
  });

  test("an object keeps its type and metadata, and a changed address does not open it", async () => {
    const { upload } = transfers().job;
    const key = "pictures/größe +1.png";
    const { url } = await upload(key, Buffer.alloc(9 * MB), { metadata: { seed: "7" } });
    const head = await client.send(new HeadObjectCommand({ Bucket: BUCKET, Key: key }));
    expect(head).toMatchObject({ ContentType: "image/png", Metadata: { seed: "7" } });
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(url.replace(/Signature=./, "Signature=x"))).status).toBe(403);
    expect((await fetch(url.replace("+1.png", "").replace("%2B1.png", "2"))).status).toBe(403);
  });

  test("a directory is uploaded, and a key is downloaded as a file", async () => {
    await using tree = await temporaryTree({ "a/one.json": "1", "two.txt": "two" });
    const { uploadDir, download } = transfers().job;
    const keys = (await uploadDir("dir", tree.root)).map(({ key }) => key);
    expect(keys).toEqual(["dir/a/one.json", "dir/two.txt"]);
    const fetchedFile = await download("dir/a/one.json");
    expect(path.basename(fetchedFile.path)).toBe("one.json");
    expect(fs.readFileSync(fetchedFile.path, "utf8")).toBe("1");
    expect(fetchedFile).toMatchObject({ sizeBytes: 1, contentType: "application/json" });
    await expect(download("dir/three")).rejects.toMatchObject({ code: "storage_not_found" });
  });

  test("a wrong secret and a missing bucket are clear failures", async () => {
    const wrong = transfers({ accessSecret: "not the secret" }).job;
    for (const body of ["small", Buffer.alloc(9 * MB)]) {
      await expect(wrong.upload("k", body)).rejects.toMatchObject({
        code: "storage_access_denied",
        message: expect.stringMatching(
          /^The object "k" cannot be stored in the bucket "of-tests" of http:.*: the service refused the credentials from the job's s3Config \(403 SignatureDoesNotMatch/,
        ),
      });
    }
    await expect(wrong.download("k")).rejects.toMatchObject({ code: "storage_access_denied" });
    await expect(transfers({ bucketName: "nowhere" }).job.upload("k", "x")).rejects.toMatchObject({
      code: "storage_not_found",
      message: expect.stringContaining("NoSuchBucket"),
    });
  });

  test("a job that is cancelled during an upload leaves no multipart upload open", async () => {
    const { job, stop } = transfers();
    async function* endless(): AsyncGenerator<Buffer> {
      for (;;) yield Buffer.alloc(MB);
    }
    const reason = new Error("The job was stopped.");
    // Later progress values do not matter: the upload may be gone.
    let wasOpen: Promise<number> | undefined;
    const upload = job.upload("cancelled", endless(), {
      onProgress: () => {
        wasOpen ??= openUploads().finally(() => stop.abort(reason));
      },
    });
    await expect(upload).rejects.toBe(reason);
    expect(await wasOpen).toBe(1);
    expect(await openUploads()).toBe(0);
  });

  test("the built worker uploads with the settings of its environment", async () => {
    await using program = await WorkerProgram.start("uploads-as-told", {
      SV_S3_ENDPOINT: swift.url,
      SV_S3_ACCESS_KEY_ID: swift.accessKeyId,
      SV_S3_SECRET_ACCESS_KEY: swift.secretAccessKey,
      SV_S3_BUCKET: BUCKET,
    });
    const session = await program.session();
    await session.until(() => session.credit > 0);
    session.send({ jobs: [program.newJob({ way: "uploads" })] });
    await session.until(() => session.all("outcomes").length === 1);
    const outcome = session.all("outcomes")[0]?.outcome;
    const output = outcome?.kind === "completed" ? outcome.output : undefined;
    const { url } = JSON.parse(Buffer.from(output ?? []).toString()) as { readonly url: string };
    expect(await (await fetch(url)).text()).toBe("content");
  });

  blobsContract("in a bucket of Swift", async () => ({
    open: (prefix) => openS3Blobs(addressOn({ ...swift, bucket: BUCKET }, prefix), { env: {} }),
    async [Symbol.asyncDispose]() {},
  }));
});

function* cut(whole: Buffer): Generator<Buffer> {
  for (let at = 0; at < whole.length; at += 100_000) yield whole.subarray(at, at + 100_000);
}

async function* asynchronously(whole: Buffer): AsyncGenerator<Buffer> {
  yield* cut(whole);
}

async function fetched(
  url: string,
): Promise<{ readonly sha256: string; readonly response: Response }> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  const digest = createHash("sha256");
  const body: AsyncIterable<Uint8Array> | null = response.body;
  for await (const piece of body ?? []) digest.update(piece);
  return { sha256: digest.digest("hex"), response };
}

function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
