/** The variables by which a worker finds the bucket of its endpoint. */
import { LIVE_STORAGE_ENV, STORAGE_ENV } from "../../../runtime/protocol/storage-env.ts";
import type { BucketAccess } from "../../objects/object-service.ts";

/**
 * Those of its template win. One that names another service gets none of ours: keys are for the service they belong to.
 *
 * @param templateEnv the variables of the worker's template
 * @param bucket undefined where there is no object store that the worker could reach
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

/** The bucket that a template's variables name in the place of the endpoint's: its keys are good for that too. */
export function namedBuckets(templateEnv: Readonly<Record<string, string>>): readonly string[] {
  const name = templateEnv[STORAGE_ENV.bucket] ?? "";
  return name === "" ? [] : [name];
}
