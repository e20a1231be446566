/** PUT /bucket : a new bucket. Where it is to lie, its body may say; there is one place only. */
import { S3Error } from "../s3-error.ts";
import { type Operation, XML_MAX_BYTES } from "./operation.ts";

const NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

export const createBucket: Operation = async ({ store }, { bucket, body }) => {
  await body.text(XML_MAX_BYTES);
  const isThere = store.buckets().some(({ name }) => name === bucket);
  // A bucket that is there already may have an endpoint's name, which has other rules.
  if (!isThere && (!NAME.test(bucket) || bucket.includes(".."))) {
    throw new S3Error(
      "InvalidBucketName",
      "a bucket's name has 3 to 63 characters: lower-case letters, digits, dots and hyphens, with a letter or digit at both ends",
      { BucketName: bucket },
    );
  }
  store.createBucket(bucket);
  return { status: 200, headers: { location: `/${bucket}` } };
};
