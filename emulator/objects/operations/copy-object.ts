/** PUT /bucket/key with x-amz-copy-source : makes an object of another one's content. */
import type { Attributes } from "../object-store.ts";
import { S3Error } from "../s3-error.ts";
import { xml } from "../xml/write-xml.ts";
import { attributesOf, quoted } from "./attributes-of-request.ts";
import { writeCondition } from "./conditions.ts";
import { copySourceOf, openSource } from "./copy-source.ts";
import { PUT_MAX_BYTES } from "./object-size.ts";
import { bucketOf, type Operation, type S3Request, xmlAnswer } from "./operation.ts";
import { isoTime } from "./parameters.ts";

export const copyObject: Operation = async (context, request) => {
  const { headers } = request;
  const bucket = bucketOf(context, request);
  const source = copySourceOf(request);
  const replacing = replacingAttributes(request);
  if (!replacing && source.bucket === request.bucket && source.key === request.key) {
    throw new S3Error(
      "InvalidRequest",
      "an object can be copied to itself only with x-amz-metadata-directive: REPLACE",
    );
  }
  await using from = await openSource(context, source, headers);
  if (from.info.sizeBytes > PUT_MAX_BYTES) {
    throw new S3Error("InvalidRequest", "an object over 5 GiB must be copied in parts");
  }
  const info = await bucket.put(request.key, from.read(), {
    ...(replacing ?? { headers: from.info.headers, metadata: from.info.metadata }),
    ...writeCondition(headers),
  });
  return xmlAnswer(
    xml("CopyObjectResult", [
      xml("LastModified", isoTime(info.modifiedAt)),
      xml("ETag", quoted(info.etag)),
    ]),
  );
};

/** Undefined when the copy is to have the attributes of its source. */
function replacingAttributes({ headers }: S3Request): Attributes | undefined {
  const directive = headers.get("x-amz-metadata-directive") ?? "COPY";
  if (directive === "REPLACE") return attributesOf(headers);
  if (directive === "COPY") return undefined;
  throw new S3Error("InvalidArgument", "x-amz-metadata-directive must be COPY or REPLACE");
}
