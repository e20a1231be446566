/** The store as keys see it that are good for some buckets only: of the others they do not even learn whether they are there. */
import type { ObjectStore } from "./object-store.ts";
import { S3Error } from "./s3-error.ts";

/** @param allowed the names of buckets; undefined for all */
export function limitedTo(
  store: ObjectStore,
  allowed: ReadonlySet<string> | undefined,
): ObjectStore {
  if (allowed === undefined) return store;
  const check = (name: string): void => {
    if (allowed.has(name)) return;
    throw new S3Error("AccessDenied", `these keys are not good for the bucket "${name}"`, {
      BucketName: name,
    });
  };
  return {
    buckets: () => store.buckets().filter(({ name }) => allowed.has(name)),
    bucket(name) {
      check(name);
      return store.bucket(name);
    },
    createBucket(name) {
      check(name);
      return store.createBucket(name);
    },
    async deleteBucket(name) {
      check(name);
      return store.deleteBucket(name);
    },
    close: async () => store.close(),
  };
}
