/** Uploads in a real worker: they belong to their job, and no unfinished upload stays, however the job ends. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { S3Config } from "../../../../runtime/storage/contract.ts";
import type { TestJob } from "../memory-job-source.ts";
import { WorkerRun } from "../worker-run.ts";
import { FakeS3, refusal } from "./fake-s3.ts";
import { SECRET } from "./store-on.ts";
import { testInFull } from "../../../setup/size.ts";

const LEFT = "aborted an unfinished upload";

function to(fake: FakeS3, way: string, more: TestJob = {}): TestJob {
  const s3Config: S3Config = {
    accessId: "id",
    accessSecret: SECRET,
    bucketName: "b",
    endpointUrl: fake.url,
  };
  return { input: { way }, s3Config, ...more };
}

/** A worker with its own bucket. Tests that do not end its process share it, because the upload code takes long to load. */
let steady: WorkerRun;
let ofWorker: FakeS3;

beforeAll(async () => {
  ofWorker = await FakeS3.start();
  const env = {
    SV_S3_ENDPOINT: `${ofWorker.url}/s3`,
    SV_S3_ACCESS_KEY_ID: "worker",
    SV_S3_SECRET_ACCESS_KEY: "the worker's own",
    SV_S3_BUCKET: "w",
  };
  steady = new WorkerRun("uploads-as-told", { env, graceMs: 5_000 });
});
afterAll(async () => {
  await steady[Symbol.asyncDispose]();
  await ofWorker[Symbol.asyncDispose]();
});

test("a job uploads to its own bucket, and a job without settings to the worker's", async () => {
  await using fake = await FakeS3.start();
  const own = await steady.source.submit(to(fake, "uploads")).result();
  expect(own).toEqual({
    kind: "completed",
    output: {
      url: expect.stringMatching(/\/b\/job-1\.txt\?.*X-Amz-Expires=604800.*X-Amz-Signature=/),
      bucket: "b",
      key: "job-1.txt",
      sizeBytes: 7,
      etag: "9a0364b9e99bb480dd25e1f0284c8555",
    },
  });
  const workers = await steady.source.submit({ input: { way: "uploads" } }).result();
  expect(workers).toMatchObject({
    output: { bucket: "w", url: expect.stringContaining("/s3/w/job-2.txt?") },
  });
});

test("a job without storage settings fails, and its error says what to set", async () => {
  await using run = new WorkerRun("uploads-as-told");
  expect(await run.source.submit({ input: { way: "uploads" } }).result()).toMatchObject({
    kind: "failed",
    failure: {
      type: "handler_error",
      message: expect.stringMatching(/^There is no object storage for this job: submit it with/),
    },
  });
});

test("the code for uploads is not loaded before the first upload", async () => {
  await using fake = await FakeS3.start();
  await using run = new WorkerRun("uploads-as-told");
  const way = "says what is loaded";
  expect(await run.source.submit(to(fake, way)).result()).toMatchObject({ output: [0, false] });
  const uploading = to(fake, way, { attempt: 2 });
  expect(await run.source.submit(uploading).result()).toMatchObject({ output: [0, true] });
});

describe("an upload that its handler does not wait for", () => {
  test("delays the end of its job", async () => {
    await using fake = await FakeS3.start();
    const gate = Promise.withResolvers<void>();
    fake.trouble("complete", gate.promise);
    const job = steady.source.submit(to(fake, "waits for nothing"));
    await fake.hasSeen("complete");
    let isOver = false;
    void job.outcome.then(() => (isOver = true));
    expect(await steady.source.submit(to(fake, "uploads")).result()).toMatchObject({
      kind: "completed",
    });
    expect(isOver).toBe(false);
    gate.resolve();
    expect(await job.result()).toEqual({ kind: "completed", output: "returned" });
    expect(fake.objects.get("late")?.body.length).toBe(12_000_000);
  });

  test("fails the job when it fails", async () => {
    await using fake = await FakeS3.start();
    await using run = new WorkerRun("uploads-as-told");
    fake.trouble("part", refusal(403, "AccessDenied"));
    expect(await run.source.submit(to(fake, "waits for nothing")).result()).toMatchObject({
      kind: "failed",
      failure: {
        type: "unhandled_error",
        message: expect.stringContaining("the service refused the credentials"),
      },
    });
    expect(fake.multiparts.size).toBe(0);
  });

  test("ends when the handler throws, and affects no later job", async () => {
    await using fake = await FakeS3.start();
    await steady.source.whenReady.promise;
    const { handlerPid } = steady.worker;
    expect(await steady.source.submit(to(fake, "throws meanwhile")).result()).toMatchObject({
      kind: "failed",
      failure: { type: "handler_error", message: "as told" },
    });
    expect(fake.multiparts.size).toBe(0);
    expect(await steady.source.submit(to(fake, "uploads")).result()).toMatchObject({
      kind: "completed",
    });
    expect(steady.worker.handlerPid).toBe(handlerPid);
  });
});

describe("an upload in parts", () => {
  test("of a cancelled job is aborted by the handler process, which keeps running", async () => {
    await using fake = await FakeS3.start();
    const job = steady.source.submit(to(fake, "uploads for ever"));
    await fake.hasSeen("part", 3);
    const { handlerPid } = steady.worker;
    const { jobId, leaseToken } = job;
    steady.source.listener.revoked({ jobId, leaseToken, reason: "cancelled" });
    await fake.hasSeen("abort");
    expect(await steady.source.submit(to(fake, "uploads")).result()).toMatchObject({
      kind: "completed",
    });
    expect(steady.worker.handlerPid).toBe(handlerPid);
    expect(fake.multiparts.size).toBe(0);
    expect(steady.log.map(({ msg }) => msg)).not.toContain(LEFT);
  });

  testInFull("of a job whose process had to be killed is aborted by the supervisor", async () => {
    await using fake = await FakeS3.start();
    await using run = new WorkerRun("uploads-as-told");
    const { jobId, leaseToken } = run.source.submit(to(fake, "blocks meanwhile"));
    await run.logged("blocking");
    run.source.listener.revoked({ jobId, leaseToken, reason: "cancelled" });
    await run.logged(LEFT);
    expect(fake.multiparts.size + fake.objects.size).toBe(0);
  });

  test("of a job whose process ended is aborted by the supervisor", async () => {
    await using fake = await FakeS3.start();
    await using run = new WorkerRun("uploads-as-told");
    const job = run.source.submit(to(fake, "exits meanwhile"));
    expect((await job.outcome).kind).toBe("lost");
    await run.logged(LEFT);
    expect(fake.multiparts.size + fake.objects.size).toBe(0);
  });

  test("of a worker that is stopped is aborted before the worker ends", async () => {
    await using fake = await FakeS3.start();
    await using run = new WorkerRun("uploads-as-told");
    run.source.submit(to(fake, "uploads for ever"));
    await fake.hasSeen("part", 3);
    run.worker.stop();
    expect(await run.worker.ended).toBe("stopped");
    expect(fake.multiparts.size).toBe(0);
  });

  test("that cannot be aborted is logged", async () => {
    await using fake = await FakeS3.start();
    await using run = new WorkerRun("uploads-as-told");
    fake.trouble("abort", ...Array.from({ length: 20 }, () => refusal(403, "AccessDenied")));
    run.source.submit(to(fake, "exits meanwhile"));
    const message = "an unfinished upload could not be aborted, and its parts remain";
    await run.logged(message);
    expect(run.log.find(({ msg }) => msg === message)?.fields).toMatchObject({
      bucket: "b",
      key: "large",
      uploadId: [...fake.multiparts.keys()][0],
    });
  });
});

describe("an output of more than 20 MB", () => {
  test("is uploaded if the handler allows it, and the output holds its URL", async () => {
    await using fake = await FakeS3.start();
    const job = steady.source.submit(to(fake, "returns 21 MB", { attempt: 2 }));
    const result = await job.result();
    const [key = ""] = fake.objects.keys();
    expect(key.slice(0, key.lastIndexOf("-"))).toBe(`outputs/${job.jobId}/2`);
    expect(result).toEqual({
      kind: "completed",
      output: {
        largeOutput: {
          url: expect.stringContaining(`/b/${key}?`),
          bucket: "b",
          key,
          sizeBytes: 21_000_002,
          etag: expect.stringMatching(/-4$/),
        },
      },
    });
    const stored = fake.objects.get(key);
    expect(stored?.contentType).toBe("application/json");
    expect(JSON.parse(stored?.body.toString() ?? "")).toBe("x".repeat(21_000_000));
  });

  test("fails the job if it cannot be uploaded, and the error gives both reasons", async () => {
    await using run = new WorkerRun("uploads-as-told");
    expect(await run.source.submit({ input: { way: "returns 21 MB" } }).result()).toMatchObject({
      kind: "failed",
      failure: {
        type: "invalid_output",
        message: expect.stringMatching(
          /^The output is larger than 20000000 bytes of JSON and could not be uploaded: There is no object storage/,
        ),
      },
    });
  });
});

test("the worker's reports and log never contain a secret, whatever the handler does with it", async () => {
  await using fake = await FakeS3.start();
  const workers = 'the worker\'s "own" secret';
  const env = {
    SV_S3_ENDPOINT: fake.url,
    SV_S3_ACCESS_KEY_ID: "worker",
    SV_S3_SECRET_ACCESS_KEY: workers,
    SV_S3_BUCKET: "w",
  };
  await using run = new WorkerRun("uploads-as-told", { env });
  fake.trouble("put", refusal(403, "SignatureDoesNotMatch"), refusal(403, "SignatureDoesNotMatch"));
  const own = await run.source.submit(to(fake, "tells everything")).result();
  const other = await run.source.submit({ input: { way: "tells everything" } }).result();
  expect([own, other]).toMatchObject([
    { failure: { message: "it does not work with [secret]" } },
    { failure: { message: "it does not work with [secret]" } },
  ]);
  const uncaught = await run.source.submit(to(fake, "lets somebody else throw it")).result();
  expect(uncaught).toMatchObject({
    failure: { type: "unhandled_error", message: "not with [secret]" },
  });
  await using failing = new WorkerRun("uploads-as-told", { env: { ...env, FAILS: "1" } });
  const unready = await failing.source.initFailure.promise;
  expect(unready.message).toBe("setup of uploads-as-told.ts failed: cannot begin with [secret]");
  const said = JSON.stringify([own, other, uncaught, unready, run.log, failing.log]);
  expect(said).toContain("the secret is [secret]");
  for (const secret of [SECRET, workers]) {
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
      expect(said).not.toContain(form);
    }
  }
});
