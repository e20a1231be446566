/** The operations on multipart uploads, except for their completion. */
import { algorithmNamed } from "../body/body-expectation.ts";
import type { ByteRange, Upload, UploadChecksum } from "../object-store.ts";
import { S3Error } from "../s3-error.ts";
import { attributesOf, quoted } from "./attributes.ts";
import { checksumHeaders } from "./checksums.ts";
import { copySourceOf, openSource } from "./copy-source.ts";
import { bucketOf, type Operation, type S3Request, xmlAnswer } from "./operation.ts";
import { isoTime, numberIn, PUT_MAX_BYTES } from "./parameters.ts";

/** Maximum number of a part. Parts are numbered from 1 (spec: S3). */
const PART_NUMBER_MAX = 10_000;

const RANGE = /^bytes=(\d{1,15})-(\d{1,15})$/;

/** POST /bucket/key?uploads : begins a multipart upload. */
export const createMultipartUpload: Operation = async (request) => {
  const { bucket, key, headers } = request;
  const checksum = checksumOf(headers);
  const upload = await bucketOf(request).uploads.create(key, {
    ...attributesOf(headers),
    ...(checksum && { checksum }),
  });
  const answered = checksum && {
    "x-amz-checksum-algorithm": checksum.algorithm.toUpperCase(),
    "x-amz-checksum-type": checksum.type,
  };
  const result = { Bucket: bucket, Key: key, UploadId: upload.id };
  return xmlAnswer("InitiateMultipartUploadResult", result, answered);
};

function checksumOf(headers: ReadonlyMap<string, string>): UploadChecksum | undefined {
  const name = headers.get("x-amz-checksum-algorithm");
  if (name === undefined) return undefined;
  const algorithm = algorithmNamed(name);
  // S3 has no composite checksum of this algorithm.
  const usual = algorithm === "crc64nvme" ? "FULL_OBJECT" : "COMPOSITE";
  const type = headers.get("x-amz-checksum-type") ?? usual;
  if (type === "COMPOSITE" || type === "FULL_OBJECT") return { algorithm, type };
  throw new S3Error("InvalidRequest", "x-amz-checksum-type must be COMPOSITE or FULL_OBJECT");
}

/** The upload that a request names. @throws S3Error NoSuchBucket, NoSuchUpload */
export async function uploadOf(request: S3Request): Promise<Upload> {
  return bucketOf(request).uploads.find(request.key, request.query.get("uploadId") ?? "");
}

/** PUT /bucket/key?partNumber&uploadId : one part of a multipart upload. */
export const uploadPart: Operation = async (request) => {
  const { uploads } = bucketOf(request);
  const number = partNumberOf(request);
  const upload = await uploadOf(request);
  const content = request.body.content(PUT_MAX_BYTES);
  const part = await uploads.putPart(upload, number, content.read(), () => content.checksum);
  const { "x-amz-checksum-type": _, ...checksum } = checksumHeaders(part.checksum);
  return { status: 200, headers: { etag: quoted(part.etag), ...checksum } };
};

/** @throws S3Error InvalidArgument */
function partNumberOf({ query }: S3Request): number {
  const number = numberIn(query, "partNumber", 1);
  if (number !== undefined && number <= PART_NUMBER_MAX) return number;
  throw new S3Error("InvalidArgument", `partNumber must be from 1 to ${PART_NUMBER_MAX}`, {
    ArgumentName: "partNumber",
    ArgumentValue: query.get("partNumber") ?? "",
  });
}

/** PUT /bucket/key?partNumber&uploadId with x-amz-copy-source : one part, copied from another object. */
export const uploadPartCopy: Operation = async (request) => {
  const { uploads } = bucketOf(request);
  const number = partNumberOf(request);
  const upload = await uploadOf(request);
  await using from = await openSource(request, copySourceOf(request));
  const { sizeBytes } = from.info;
  const range = copiedRange(request.headers.get("x-amz-copy-source-range"), sizeBytes);
  if ((range ? range.end - range.start + 1 : sizeBytes) > PUT_MAX_BYTES) {
    throw new S3Error("EntityTooLarge", "a part must be at most 5 GiB");
  }
  const part = await uploads.putPart(upload, number, from.read(range));
  const result = { LastModified: isoTime(part.modifiedAt), ETag: quoted(part.etag) };
  return xmlAnswer("CopyPartResult", result);
};

/** The range of a copy, which unlike that of a GET must have both ends and lie within the object. @throws S3Error InvalidArgument */
function copiedRange(header: string | undefined, sizeBytes: number): ByteRange | undefined {
  if (header === undefined) return undefined;
  const [start = Number.NaN, end = Number.NaN] = (RANGE.exec(header) ?? []).slice(1).map(Number);
  if (start <= end && end < sizeBytes) return { start, end };
  throw new S3Error(
    "InvalidArgument",
    "x-amz-copy-source-range must be bytes=<first>-<last>, within the source",
    { ArgumentName: "x-amz-copy-source-range", ArgumentValue: header },
  );
}

/** DELETE /bucket/key?uploadId : drops a multipart upload and its parts. */
export const abortMultipartUpload: Operation = async (request) => {
  await bucketOf(request).uploads.abort(await uploadOf(request));
  return { status: 204 };
};
