/** POST /bucket/key?uploadId : makes one object of the parts that the client names. */
import { z } from "zod";
import { checksumIn } from "../body/body-expectation.ts";
import { startChecksum } from "../body/running-checksum.ts";
import type { Bucket, Checksum, ObjectInfo, Part, Upload, Uploads } from "../object-store.ts";
import { S3Error } from "../s3-error.ts";
import { readXml, several } from "../xml/read-xml.ts";
import { quoted, unquoted } from "./attributes.ts";
import { checksumElement, checksumElements, typeOf } from "./checksums.ts";
import { writeCondition } from "./conditions.ts";
import { bucketOf, type Operation, type S3Request, xmlAnswer, XML_MAX_BYTES } from "./operation.ts";
import { uploadOf } from "./uploads.ts";

/** Minimum size of every part but the last (spec: S3). */
const PART_MIN_BYTES = 5 * 1_048_576;

/** A part in the client's list, which also has a checksum under the algorithm's name. */
const namedPart = z
  .object({ PartNumber: z.string().regex(/^\s*\d{1,5}\s*$/), ETag: z.string() })
  .catchall(z.unknown());
type NamedPart = z.infer<typeof namedPart>;

const schema = z.object({ CompleteMultipartUpload: z.object({ Part: several(namedPart) }) });

export const completeMultipartUpload: Operation = async (request) => {
  const bucket = bucketOf(request);
  const text = await request.body.text(XML_MAX_BYTES);
  const info = (await completedBefore(bucket, request)) ?? (await complete(bucket, request, text));
  return xmlAnswer("CompleteMultipartUploadResult", {
    Location: request.url,
    Bucket: request.bucket,
    Key: request.key,
    ETag: quoted(info.etag),
    ...checksumElements(info.checksum),
    ChecksumType: info.checksum && typeOf(info.checksum),
  });
};

/** The answer for a client that repeats the request because it did not get the first answer: the object is already there. */
async function completedBefore(
  bucket: Bucket,
  { key, query }: S3Request,
): Promise<ObjectInfo | undefined> {
  const found = await bucket.head(key).catch((error: unknown) => {
    if (error instanceof S3Error) return undefined;
    throw error;
  });
  return found?.uploadId === query.get("uploadId") ? found : undefined;
}

async function complete(
  { uploads }: Bucket,
  request: S3Request,
  body: string,
): Promise<ObjectInfo> {
  const upload = await uploadOf(request);
  const named = readXml(body, schema).CompleteMultipartUpload.Part;
  const parts = chosenParts(upload, named, await uploads.parts(upload));
  const checksum = await checksumOf(uploads, upload, parts);
  const given = checksumIn(request.headers);
  if (checksum && given && given.value !== checksum.value) {
    throw new S3Error("BadDigest", `the object's checksum differs from the request's`);
  }
  return uploads.complete(upload, {
    numbers: parts.map(({ number }) => number),
    ...(checksum && { checksum }),
    ...writeCondition(request.headers),
  });
}

/** @throws S3Error InvalidPart, InvalidPartOrder, EntityTooSmall */
function chosenParts(
  { id: UploadId }: Upload,
  named: readonly NamedPart[],
  uploaded: readonly Part[],
): readonly Part[] {
  const byNumber = new Map(uploaded.map((part) => [part.number, part]));
  const parts = named.map((claim) => {
    const { PartNumber, ETag } = claim;
    const part = byNumber.get(Number(PartNumber));
    if (part && unquoted(ETag) === part.etag && hasItsChecksum(claim, part)) return part;
    const message = "a part was not uploaded, or differs from the part that the request names";
    throw new S3Error("InvalidPart", message, { UploadId, PartNumber, ETag });
  });
  for (const [index, { number, sizeBytes, etag }] of parts.entries()) {
    const next = parts[index + 1];
    if (next && next.number <= number) {
      const message = "the parts must be named in ascending order";
      throw new S3Error("InvalidPartOrder", message, { UploadId });
    }
    if (next && sizeBytes < PART_MIN_BYTES) {
      throw new S3Error("EntityTooSmall", "every part but the last must have at least 5 MiB", {
        ProposedSize: String(sizeBytes),
        MinSizeAllowed: String(PART_MIN_BYTES),
        PartNumber: String(number),
        ETag: etag,
      });
    }
  }
  return parts;
}

function hasItsChecksum(claim: NamedPart, { checksum }: Part): boolean {
  const claimed = checksum && claim[checksumElement(checksum.algorithm)];
  return claimed === undefined || claimed === checksum?.value;
}

/**
 * The checksum of the object: that of the parts' checksums, or of the whole content. Undefined if the upload was begun without
 * one, or a part has none.
 */
async function checksumOf(
  uploads: Uploads,
  upload: Upload,
  parts: readonly Part[],
): Promise<Checksum | undefined> {
  if (!upload.checksum) return undefined;
  const { algorithm, type } = upload.checksum;
  const running = await startChecksum(algorithm);
  if (type === "FULL_OBJECT") {
    const numbers = parts.map(({ number }) => number);
    for await (const piece of uploads.read(upload, numbers)) running.update(piece);
  } else {
    for (const { checksum } of parts) {
      if (checksum?.algorithm !== algorithm) return undefined;
      running.update(Buffer.from(checksum.value, "base64"));
    }
  }
  const value = Buffer.from(await running.digest()).toString("base64");
  return { algorithm, value: type === "FULL_OBJECT" ? value : `${value}-${parts.length}` };
}
