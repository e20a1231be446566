/** The multipart upload, and the part of it, that a request is about. */
import type { Upload } from "../object-store.ts";
import { S3Error } from "../s3-error.ts";
import { PART_NUMBER_MAX } from "./object-size.ts";
import { bucketOf, type S3Context, type S3Request } from "./operation.ts";
import { numberIn } from "./parameters.ts";

/** @throws S3Error NoSuchBucket, NoSuchUpload */
export async function uploadOf(context: S3Context, request: S3Request): Promise<Upload> {
  const { uploads } = bucketOf(context, request);
  return uploads.find(request.key, request.query.get("uploadId") ?? "");
}

/** @throws S3Error InvalidArgument */
export function partNumberOf({ query }: S3Request): number {
  const number = numberIn(query, "partNumber", 1);
  if (number !== undefined && number <= PART_NUMBER_MAX) return number;
  throw new S3Error("InvalidArgument", `partNumber must be from 1 to ${PART_NUMBER_MAX}`, {
    ArgumentName: "partNumber",
    ArgumentValue: query.get("partNumber") ?? "",
  });
}
