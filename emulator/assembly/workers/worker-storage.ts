/** The variables by which a worker finds the bucket of its endpoint. */
import {
  LIVE_STORAGE_ENV,
  STORAGE_ENV,
} from "../../../runtime/protocol/environment/storage-env.ts";
import type { BucketAccess } from "../../objects/object-service.ts";

/**
 * Its template's variables win. A template that names another object store gets none of ours, because keys belong to one store.
 *
 * @param templateEnv the variables of the worker's template
 * @param bucket undefined if the worker can reach no object store
 */
export function storageEnvironment(
  templateEnv: Readonly<Record<string, string>>,
  bucket: BucketAccess | undefined,
): Readonly<Record<string, string>> {
  const isElsewhere = [STORAGE_ENV.endpoint, LIVE_STORAGE_ENV.endpoint, STORAGE_ENV.directory].some(
    (name) => (templateEnv[name] ?? "") !== "",
  );
  if (bucket === undefined || isElsewhere) return {};
  return {
    [STORAGE_ENV.endpoint]: bucket.endpoint,
    [STORAGE_ENV.accessKeyId]: bucket.accessKeyId,
    [STORAGE_ENV.secretAccessKey]: bucket.secretAccessKey,
    [STORAGE_ENV.bucket]: bucket.bucket,
    [STORAGE_ENV.region]: bucket.region,
  };
}

/** The bucket that a template's variables name instead of the endpoint's. The endpoint's keys open it too. */
export function namedBuckets(templateEnv: Readonly<Record<string, string>>): readonly string[] {
  const name = templateEnv[STORAGE_ENV.bucket] ?? "";
  return name === "" ? [] : [name];
}
