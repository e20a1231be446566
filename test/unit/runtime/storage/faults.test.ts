/**
 * Faults of the service: temporary ones are overcome, others are reported with their cause, and no upload stays
 * open.
 */
import { Readable } from "node:stream";
import { inspect } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { Secret } from "../../../../runtime/storage/secret.ts";
import type { StorageError } from "../../../../runtime/storage/storage-error.ts";
import { FakeS3, type Operation, refusal, type Trouble } from "./fake-s3.ts";
import { PART, SECRET, storeOn } from "./store-on.ts";
import { sized } from "../../../setup/size.ts";

/** Size of two parts. */
const large = Buffer.alloc(PART + 7, "large ");
const inParts = { partSizeBytes: PART };

function asStream(): Readable {
  return Readable.from([large.subarray(0, 1_000_000), large.subarray(1_000_000)]);
}

const OPERATIONS: readonly Operation[] = ["put", "create", "part", "complete"];
/** In `npm test` one fault of each kind meets all operations. */
const OPERATIONS_OF_OTHERS = sized<readonly Operation[]>(["put"], OPERATIONS);

const passing: readonly [string, Trouble][] = [
  ["503 SlowDown", refusal(503, "SlowDown")],
  ["429", { status: 429 }],
  ["a page of HTML from a proxy", { status: 502, body: "<html><body>Bad Gateway</body></html>" }],
  ["a time-out of the service", refusal(400, "RequestTimeout")],
  ["a connection cut before the answer", "drops-the-answer"],
];

describe.each(passing)("%s", (_, trouble) => {
  test.each(trouble === passing[0]?.[1] ? OPERATIONS : OPERATIONS_OF_OTHERS)(
    "is overcome when it hits the first two tries of: %s",
    async (operation) => {
      await using fake = await FakeS3.start();
      fake.trouble(operation, trouble, trouble);
      const body = operation === "put" ? "small" : asStream();
      const { sizeBytes, etag } = await storeOn(fake.url).upload("k", body, inParts);
      const stored = fake.objects.get("k");
      expect(stored?.body.equals(operation === "put" ? Buffer.from("small") : large)).toBe(true);
      expect([sizeBytes, etag]).toEqual([stored?.body.length, stored?.etag]);
    },
  );
});

test.each<Operation>(["put", "part"])(
  "a connection that is cut while the body is sent is overcome: %s",
  async (operation) => {
    await using fake = await FakeS3.start();
    fake.trouble(operation, "drops-the-request", "drops-the-request");
    const body = operation === "put" ? large.subarray(0, PART) : asStream();
    await storeOn(fake.url).upload("k", body, inParts);
    const whole = operation === "put" ? large.subarray(0, PART) : large;
    expect(fake.objects.get("k")?.body.equals(whole)).toBe(true);
    expect(fake.count(operation)).toBe(operation === "put" ? 3 : 4);
  },
);

async function failureOf(promise: Promise<unknown>): Promise<StorageError> {
  return promise.then(
    () => Promise.reject(new Error("it did not fail")),
    (failure: StorageError) => failure,
  );
}

const lasting: readonly [string, Trouble, string, string][] = [
  [
    "a wrong secret",
    refusal(403, "SignatureDoesNotMatch", `Not the signature of ${SECRET}.`),
    "storage_access_denied",
    "the service refused the credentials from the job's s3Config (403 SignatureDoesNotMatch: Not the signature of [secret]).",
  ],
  [
    "a service that takes no bucket in the path",
    refusal(403, "SecondLevelDomainForbidden"),
    "storage_refused",
    'the service takes a bucket in the host\'s name alone: put "b." before the host (403 This is SecondLevelDomainForbidden).',
  ],
  [
    "a missing bucket",
    refusal(404, "NoSuchBucket"),
    "storage_not_found",
    "it does not exist (404 This is NoSuchBucket).",
  ],
  [
    "another refusal",
    refusal(400, "InvalidArgument"),
    "storage_refused",
    "the service refused it (400 This is InvalidArgument).",
  ],
];

describe.each(lasting)("%s", (_, trouble, code, says) => {
  test.each(trouble === lasting[0]?.[1] ? OPERATIONS : OPERATIONS_OF_OTHERS)(
    "fails the upload at once, with the cause: %s",
    async (operation) => {
      await using fake = await FakeS3.start();
      fake.trouble(operation, trouble);
      const subject = storeOn(fake.url);
      const body = operation === "put" ? "small" : asStream();
      const failure = await failureOf(subject.upload("k", body, inParts));
      expect(failure).toMatchObject({ name: "StorageError", code });
      const where = `The object "k" cannot be stored in the bucket "b" of ${fake.url}: `;
      expect(failure.message).toBe(where + says);
      expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain(SECRET);
      expect(fake.objects.size + fake.multiparts.size).toBe(0);
      expect(subject.told.closed).toEqual(subject.told.opened.map(({ uploadId }) => uploadId));
      expect(fake.count("complete")).toBe(operation === "complete" ? 1 : 0);
    },
  );
});

test("an upload to a service that keeps failing ends with its last error, and no part stays", async () => {
  await using fake = await FakeS3.start();
  fake.trouble("part", ...Array.from({ length: 20 }, () => refusal(503, "SlowDown", "Slow down.")));
  const failure = await failureOf(storeOn(fake.url, 3).upload("k", asStream(), inParts));
  expect(failure.code).toBe("storage_unavailable");
  expect(failure.message).toContain("the service failed in all tries (503 SlowDown: Slow down).");
  expect(fake.multiparts.size).toBe(0);
});

test("an error names a missing service, with the system's own reason", async () => {
  const fake = await FakeS3.start();
  const { url } = fake;
  await fake[Symbol.asyncDispose]();
  const failure = await failureOf(storeOn(url, 2).upload("k", "x"));
  expect(failure.code).toBe("storage_unavailable");
  // In a container a hint follows.
  expect(failure.message).toContain(
    `The object "k" cannot be stored in the bucket "b" of ${url}: the service cannot be reached ` +
      `(connect ECONNREFUSED ${url.slice(7)}), in several tries`,
  );
});

test("an error names localhost in a container", async () => {
  vi.stubEnv("KUBERNETES_SERVICE_HOST", "10.0.0.1");
  const fake = await FakeS3.start();
  const url = fake.url.replace("127.0.0.1", "localhost");
  await fake[Symbol.asyncDispose]();
  const hint = "in this container localhost is the container itself";
  expect((await failureOf(storeOn(url, 1).upload("k", "x"))).message).toContain(hint);
});

test("an error names a service that disappears during an upload, and the parts that stay there", async () => {
  const fake = await FakeS3.start();
  const { url } = fake;
  fake.trouble("part", "hangs");
  const subject = storeOn(url, 2);
  const source = asStream();
  const upload = failureOf(subject.upload("k", source, { ...inParts, concurrency: 1 }));
  await fake.hasSeen("part");
  await fake[Symbol.asyncDispose]();
  const failure = await upload;
  expect(failure.code).toBe("storage_unavailable");
  expect(failure.message).toMatch(/the service cannot be reached .* in several tries/);
  expect(source.destroyed).toBe(true);
  // The supervisor, or the service's own rules, must end it when the service is back.
  expect(subject.told.opened).toMatchObject([{ bucket: "b", key: "k", endpointUrl: url }]);
  expect(subject.told.closed).toEqual([]);
});

describe("a job that is stopped", () => {
  const reason = new DOMException("The job was stopped.", "AbortError");

  test.each<Operation>(["put", "create", "part", "complete"])(
    "ends its upload at once, and leaves nothing open: %s",
    async (operation) => {
      await using fake = await FakeS3.start();
      if (operation !== "create") fake.trouble(operation, "hangs");
      const stop = new AbortController();
      const body = operation === "put" ? "small" : asStream();
      const upload = storeOn(fake.url).upload("k", body, inParts, stop.signal);
      await fake.hasSeen(operation);
      stop.abort(reason);
      expect(await failureOf(upload)).toBe(reason);
      expect(fake.multiparts.size).toBe(0);
      expect(fake.objects.size).toBe(0);
    },
  );

  test("ends its upload also while the source is silent, and releases the source", async () => {
    await using fake = await FakeS3.start();
    const source = new Readable({ read() {} });
    source.push(large.subarray(0, PART + 1));
    const stop = new AbortController();
    const upload = storeOn(fake.url).upload("k", source, inParts, stop.signal);
    await fake.hasSeen("part");
    stop.abort(reason);
    expect(await failureOf(upload)).toBe(reason);
    expect(source.destroyed).toBe(true);
    expect(fake.multiparts.size).toBe(0);
  });

  test("reports uploads that it could not end to the supervisor", async () => {
    await using fake = await FakeS3.start();
    fake.trouble("part", "hangs");
    fake.trouble("abort", ...Array.from({ length: 20 }, () => refusal(503, "SlowDown")));
    const stop = new AbortController();
    const subject = storeOn(fake.url);
    const upload = subject.upload("k", asStream(), inParts, stop.signal);
    await fake.hasSeen("part");
    stop.abort(reason);
    expect(await failureOf(upload)).toBe(reason);
    expect(fake.multiparts.size).toBe(1);
    expect(subject.told.closed).toEqual([]);
    expect(subject.told.opened).toMatchObject([{ bucket: "b", key: "k", endpointUrl: fake.url }]);
  });
});

test("a failing body ends its upload with its own error, and no part stays", async () => {
  await using fake = await FakeS3.start();
  const own = new Error("the model ran out of words");
  async function* source(): AsyncGenerator<Buffer> {
    yield large.subarray(0, PART);
    yield large.subarray(0, PART);
    await fake.hasSeen("part");
    throw own;
  }
  expect(await failureOf(storeOn(fake.url).upload("k", source(), inParts))).toBe(own);
  expect(fake.multiparts.size).toBe(0);
});

test("a throwing progress callback ends its upload with its own error, and no part stays", async () => {
  await using fake = await FakeS3.start();
  const own = new Error("the display is broken");
  const onProgress = (): never => {
    throw own;
  };
  const options = { ...inParts, onProgress };
  expect(await failureOf(storeOn(fake.url).upload("k", asStream(), options))).toBe(own);
  expect(fake.multiparts.size).toBe(0);
});

test("a server that is not an S3 service is reported as such", async () => {
  await using fake = await FakeS3.start();
  fake.trouble("create", { status: 200, body: "<html></html>" });
  const failure = await failureOf(storeOn(fake.url).upload("k", asStream(), inParts));
  expect(failure.code).toBe("storage_refused");
});

test("all parts use one connection", async () => {
  await using fake = await FakeS3.start();
  await storeOn(fake.url).upload("k", large, { ...inParts, concurrency: 1 });
  expect([fake.count("part"), fake.connections]).toEqual([2, 1]);
});

test("a stream is read no faster than its parts are sent", async () => {
  await using fake = await FakeS3.start();
  fake.trouble("part", "hangs", "hangs");
  let pulled = 0;
  const source = Readable.from(
    (function* () {
      for (;;) {
        pulled += 1_000_000;
        yield Buffer.alloc(1_000_000);
      }
    })(),
    { highWaterMark: 1 },
  );
  const stop = new AbortController();
  const terms = { ...inParts, concurrency: 2 };
  const upload = storeOn(fake.url).upload("k", source, terms, stop.signal);
  await fake.hasSeen("part", 2);
  stop.abort();
  await failureOf(upload);
  // Two parts, and the buffer of the stream.
  expect(pulled).toBeLessThan(2 * PART + 3_000_000);
});

test("a short secret that could be a common word does not shred a message", () => {
  expect(new Secret("test").maskIn("the test failed")).toBe("the test failed");
  expect(new Secret(SECRET).maskIn(`no: ${SECRET}.`)).toBe("no: [secret].");
});
