/** The source of a copy, as the header `x-amz-copy-source` names it. */
import type { OpenObject } from "../object-store.ts";
import { S3Error } from "../s3-error.ts";
import { uriDecode } from "../signature/uri-encoding.ts";
import { checkRead } from "./conditions.ts";
import type { S3Request } from "./operation.ts";

export interface CopySource {
  readonly bucket: string;
  readonly key: string;
}

/** @throws S3Error InvalidArgument, NotImplemented */
export function copySourceOf({ headers }: S3Request): CopySource {
  const [path = "", version] = (headers.get("x-amz-copy-source") ?? "").split("?versionId=");
  if (version !== undefined && version !== "null") {
    throw new S3Error("NotImplemented", "this store keeps no versions of objects");
  }
  const decoded = uriDecode(path).replace(/^\//, "");
  const at = decoded.indexOf("/");
  const key = decoded.slice(at + 1);
  if (at > 0 && key !== "") return { bucket: decoded.slice(0, at), key };
  throw new S3Error(
    "InvalidArgument",
    "x-amz-copy-source must be a bucket, a slash and a key, encoded as in a URL",
    { ArgumentName: "x-amz-copy-source" },
  );
}

/** The open source, which the caller disposes of. @throws S3Error NoSuchBucket, NoSuchKey, PreconditionFailed */
export async function openSource(
  { store, headers }: S3Request,
  { bucket, key }: CopySource,
): Promise<OpenObject> {
  const object = await store.bucket(bucket).open(key);
  try {
    checkRead(headers, object.info, "x-amz-copy-source-");
    return object;
  } catch (error) {
    await object[Symbol.asyncDispose]();
    throw error;
  }
}
