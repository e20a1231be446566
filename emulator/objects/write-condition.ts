/** Checks the condition of a write against the present object. */
import type { ObjectInfo, WriteCondition } from "./object-store.ts";
import { noSuchKey, S3Error } from "./s3-error.ts";

/** @throws S3Error PreconditionFailed; NoSuchKey if the condition names an object and there is none */
export function checkCondition(
  { ifMatch, ifAbsent }: WriteCondition,
  key: string,
  there: ObjectInfo | undefined,
): void {
  if (ifAbsent === true && there) {
    throw new S3Error("PreconditionFailed", "there is an object with this key already", {
      Condition: "If-None-Match",
    });
  }
  if (ifMatch === undefined) return;
  if (!there) throw noSuchKey(key);
  if (there.etag === ifMatch) return;
  throw new S3Error("PreconditionFailed", "the object has another ETag than the one asked for", {
    Condition: "If-Match",
  });
}
