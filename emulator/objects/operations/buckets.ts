/** The operations on the store and on whole buckets. */
import { REGION } from "../object-store.ts";
import { S3Error } from "../s3-error.ts";
import { bucketOf, type Operation, xmlAnswer, XML_MAX_BYTES } from "./operation.ts";
import { isoTime, OWNER } from "./parameters.ts";

const NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** GET / : all buckets. */
export const listBuckets: Operation = async ({ store }) => {
  const Bucket = store
    .buckets()
    .map(({ name, createdAt }) => ({ Name: name, CreationDate: isoTime(createdAt) }));
  return xmlAnswer("ListAllMyBucketsResult", { Owner: OWNER, Buckets: { Bucket } });
};

/** PUT /bucket : makes a bucket. A location in the body is ignored. */
export const createBucket: Operation = async ({ store, bucket, body }) => {
  await body.text(XML_MAX_BYTES);
  const isThere = store.buckets().some(({ name }) => name === bucket);
  // An existing bucket may have an endpoint's id as its name, for which other rules hold.
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

/** HEAD /bucket : whether the bucket exists. */
export const headBucket: Operation = async (request) => {
  bucketOf(request);
  return { status: 200, headers: { "x-amz-bucket-region": REGION } };
};

/** DELETE /bucket : drops an empty bucket. */
export const deleteBucket: Operation = async ({ store, bucket }) => {
  await store.deleteBucket(bucket);
  return { status: 204 };
};

/** GET /bucket?location : the region of a bucket, which is empty for us-east-1, as in S3. */
export const getBucketLocation: Operation = async (request) => {
  bucketOf(request);
  return xmlAnswer("LocationConstraint", {});
};

/** GET /bucket?versioning : versioning is off. Some clients ask before they delete. */
export const getBucketVersioning: Operation = async (request) => {
  bucketOf(request);
  return xmlAnswer("VersioningConfiguration", {});
};
