/** Uploads one stream, as a handler or with the SDK's own Upload, and reports the cost. */
import { Readable } from "node:stream";
import { z } from "zod";
import { JobTransfers } from "../../runtime/storage/job-transfers.ts";
import { openStore } from "../../runtime/storage/open-store.ts";
import { ownResidentBytes } from "../../test/setup/proc.ts";
import { answerQuestions } from "../asking.ts";

const PIECE_BYTES = 1_000_000;

const questionShape = z.object({
  by: z.enum(["ours", "sdk"]),
  endpoint: z.string(),
  bytes: z.number(),
});
type Question = z.infer<typeof questionShape>;

/** The settings of the sink for both ways. */
const account = { accessKeyId: "bench", secretAccessKey: "bench-secret" };
const place = { bucket: "bench", key: "large" };

/** Sends the same piece again and again, so that making the bytes costs nothing. */
function source(bytes: number): Readable {
  const piece = Buffer.alloc(PIECE_BYTES, "x");
  return Readable.from(
    (function* () {
      for (let left = bytes; left > 0; left -= PIECE_BYTES) yield piece.subarray(0, left);
    })(),
  );
}

async function ours({ endpoint, bytes }: Question): Promise<void> {
  const s3Config = {
    accessId: account.accessKeyId,
    accessSecret: account.secretAccessKey,
    bucketName: place.bucket,
    endpointUrl: endpoint,
  };
  const { upload } = new JobTransfers({
    openStore: () => openStore(s3Config, {}, { opened() {}, closed() {} }),
    signal: () => new AbortController().signal,
    tempDir: () => "",
  });
  const { sizeBytes } = await upload(place.key, source(bytes));
  if (sizeBytes !== bytes) throw new Error(`${sizeBytes} bytes were sent, not ${bytes}.`);
}

async function sdk({ endpoint, bytes }: Question): Promise<void> {
  const { S3Client } = await import("@aws-sdk/client-s3");
  const { Upload } = await import("@aws-sdk/lib-storage");
  const client = new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: account,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  const params = { Bucket: place.bucket, Key: place.key, Body: source(bytes) };
  await new Upload({ client, params }).done();
  client.destroy();
}

answerQuestions(async (message) => {
  const question = questionShape.parse(message);
  const before = ownResidentBytes();
  const startedAt = performance.now();
  await (question.by === "ours" ? ours(question) : sdk(question));
  const tookMs = performance.now() - startedAt;
  // Peak memory over the life of the process, in kilobytes.
  return { tookMs, raisedBytes: process.resourceUsage().maxRSS * 1024 - before };
});
