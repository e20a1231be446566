/** POST /bucket/key?uploads : begins a multipart upload. */
import type { UploadChecksum } from "../object-store.ts";
import { S3Error } from "../s3-error.ts";
import { algorithmNamed } from "../body/body-expectation.ts";
import { xml } from "../xml/write-xml.ts";
import { attributesOf } from "./attributes-of-request.ts";
import { bucketOf, type Operation, xmlAnswer } from "./operation.ts";

export const createMultipartUpload: Operation = async (context, request) => {
  const { bucket, key, headers } = request;
  const checksum = checksumOf(headers);
  const upload = await bucketOf(context, request).uploads.create(key, {
    ...attributesOf(headers),
    ...(checksum && { checksum }),
  });
  const answered = checksum && {
    "x-amz-checksum-algorithm": checksum.algorithm.toUpperCase(),
    "x-amz-checksum-type": checksum.type,
  };
  return xmlAnswer(
    xml("InitiateMultipartUploadResult", [
      xml("Bucket", bucket),
      xml("Key", key),
      xml("UploadId", upload.id),
    ]),
    answered,
  );
};

function checksumOf(headers: ReadonlyMap<string, string>): UploadChecksum | undefined {
  const name = headers.get("x-amz-checksum-algorithm");
  if (name === undefined) return undefined;
  const algorithm = algorithmNamed(name);
  // One of whole objects only, for S3 does not make a composite one of it.
  const usual = algorithm === "crc64nvme" ? "FULL_OBJECT" : "COMPOSITE";
  const type = headers.get("x-amz-checksum-type") ?? usual;
  if (type === "COMPOSITE" || type === "FULL_OBJECT") return { algorithm, type };
  throw new S3Error("InvalidRequest", "x-amz-checksum-type must be COMPOSITE or FULL_OBJECT");
}
