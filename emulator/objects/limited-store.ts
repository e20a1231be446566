/** The store as keys for some buckets see it: they do not even learn whether the other buckets exist. */
import type { ObjectStore } from "./object-store.ts";
import { S3Error } from "./s3-error.ts";

/** @param allowed the names of buckets; undefined for all */
export function limitedTo(
  store: ObjectStore,
  allowed: ReadonlySet<string> | undefined,
): ObjectStore {
  if (allowed === undefined) return store;
  const checked = (name: string): string => {
    if (allowed.has(name)) return name;
    throw new S3Error("AccessDenied", `these keys are not good for the bucket "${name}"`, {
      BucketName: name,
    });
  };
  return {
    buckets: () => store.buckets().filter(({ name }) => allowed.has(name)),
    bucket: (name) => store.bucket(checked(name)),
    createBucket: (name) => store.createBucket(checked(name)),
    deleteBucket: async (name) => store.deleteBucket(checked(name)),
  };
}
