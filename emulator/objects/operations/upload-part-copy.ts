/** PUT /bucket/key?partNumber&uploadId with x-amz-copy-source : a part made of another object's content. */
import type { ByteRange } from "../object-store.ts";
import { S3Error } from "../s3-error.ts";
import { xml } from "../xml/write-xml.ts";
import { quoted } from "./attributes-of-request.ts";
import { copySourceOf, openSource } from "./copy-source.ts";
import { PUT_MAX_BYTES } from "./object-size.ts";
import { bucketOf, type Operation, xmlAnswer } from "./operation.ts";
import { isoTime } from "./parameters.ts";
import { partNumberOf, uploadOf } from "./upload-of-request.ts";

const RANGE = /^bytes=(\d{1,15})-(\d{1,15})$/;

export const uploadPartCopy: Operation = async (context, request) => {
  const { uploads } = bucketOf(context, request);
  const number = partNumberOf(request);
  const upload = await uploadOf(context, request);
  await using from = await openSource(context, copySourceOf(request), request.headers);
  const { sizeBytes } = from.info;
  const range = rangeOf(request.headers.get("x-amz-copy-source-range"), sizeBytes);
  if ((range ? range.end - range.start + 1 : sizeBytes) > PUT_MAX_BYTES) {
    throw new S3Error("EntityTooLarge", "a part must be at most 5 GiB");
  }
  const part = await uploads.putPart(upload, number, from.read(range));
  return xmlAnswer(
    xml("CopyPartResult", [
      xml("LastModified", isoTime(part.modifiedAt)),
      xml("ETag", quoted(part.etag)),
    ]),
  );
};

/** Unlike that of a GET it must be whole, and lie within the object. @throws S3Error InvalidArgument */
function rangeOf(header: string | undefined, sizeBytes: number): ByteRange | undefined {
  if (header === undefined) return undefined;
  const [start = Number.NaN, end = Number.NaN] = (RANGE.exec(header) ?? []).slice(1).map(Number);
  if (start <= end && end < sizeBytes) return { start, end };
  throw new S3Error(
    "InvalidArgument",
    "x-amz-copy-source-range must be bytes=<first>-<last>, within the source",
    { ArgumentName: "x-amz-copy-source-range", ArgumentValue: header },
  );
}
