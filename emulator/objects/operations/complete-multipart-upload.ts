/** POST /bucket/key?uploadId : makes one object of the parts the client names. */
import { z } from "zod";
import { checksumIn } from "../body/body-expectation.ts";
import type { Bucket, ObjectInfo, Part, Upload } from "../object-store.ts";
import { S3Error } from "../s3-error.ts";
import { readXml } from "../xml/read-xml.ts";
import { xml } from "../xml/write-xml.ts";
import { quoted, unquoted } from "./attributes-of-request.ts";
import { checksumElement, checksumXml, typeOf } from "./checksum-headers.ts";
import { writeCondition } from "./conditions.ts";
import { PART_MIN_BYTES } from "./object-size.ts";
import { bucketOf, type Operation, type S3Request, xmlAnswer, XML_MAX_BYTES } from "./operation.ts";
import { several } from "./several.ts";
import { uploadChecksum } from "./upload-checksum.ts";
import { uploadOf } from "./upload-of-request.ts";

/** What the client says of a part: beside these its checksum, under the algorithm's name. */
const namedPart = z
  .object({ PartNumber: z.string().regex(/^\s*\d{1,5}\s*$/), ETag: z.string() })
  .catchall(z.unknown());
type NamedPart = z.infer<typeof namedPart>;

const schema = z.object({ CompleteMultipartUpload: z.object({ Part: several(namedPart) }) });

export const completeMultipartUpload: Operation = async (context, request) => {
  const bucket = bucketOf(context, request);
  const text = await request.body.text(XML_MAX_BYTES);
  const info = (await completedBefore(bucket, request)) ?? (await complete(text));
  return xmlAnswer(
    xml("CompleteMultipartUploadResult", [
      xml("Location", request.url),
      xml("Bucket", request.bucket),
      xml("Key", request.key),
      xml("ETag", quoted(info.etag)),
      ...checksumXml(info.checksum),
      ...(info.checksum ? [xml("ChecksumType", typeOf(info.checksum))] : []),
    ]),
  );

  async function complete(body: string): Promise<ObjectInfo> {
    const upload = await uploadOf(context, request);
    const named = readXml(body, schema).CompleteMultipartUpload.Part;
    const parts = chosenParts(upload, named, await bucket.uploads.parts(upload));
    const given = checksumIn(request.headers);
    const checksum = await uploadChecksum(bucket.uploads, upload, parts, given);
    return bucket.uploads.complete(upload, {
      numbers: parts.map(({ number }) => number),
      ...(checksum && { checksum }),
      ...writeCondition(request.headers),
    });
  }
};

/** A client that did not get the first answer asks again; the upload is gone by then, and the object is there. */
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

/** @throws S3Error InvalidPart, InvalidPartOrder, EntityTooSmall */
function chosenParts(
  upload: Upload,
  named: readonly NamedPart[],
  uploaded: readonly Part[],
): readonly Part[] {
  const byNumber = new Map(uploaded.map((part) => [part.number, part]));
  const parts = named.map((claim) => {
    const part = byNumber.get(Number(claim.PartNumber));
    if (part && unquoted(claim.ETag) === part.etag && hasItsChecksum(claim, part)) return part;
    throw new S3Error(
      "InvalidPart",
      "a part was not uploaded, or is another than the client means",
      {
        UploadId: upload.id,
        PartNumber: claim.PartNumber,
        ETag: claim.ETag,
      },
    );
  });
  for (const [index, part] of parts.entries()) {
    const next = parts[index + 1];
    if (next && next.number <= part.number) {
      throw new S3Error("InvalidPartOrder", "the parts must be named in ascending order", {
        UploadId: upload.id,
      });
    }
    if (next && part.sizeBytes < PART_MIN_BYTES) throw tooSmall(part);
  }
  return parts;
}

function hasItsChecksum(claim: NamedPart, { checksum }: Part): boolean {
  const claimed = checksum && claim[checksumElement(checksum.algorithm)];
  return claimed === undefined || claimed === checksum?.value;
}

function tooSmall({ number, sizeBytes, etag }: Part): S3Error {
  return new S3Error("EntityTooSmall", "every part but the last must have at least 5 MiB", {
    ProposedSize: String(sizeBytes),
    MinSizeAllowed: String(PART_MIN_BYTES),
    PartNumber: String(number),
    ETag: etag,
  });
}
