/** The variables by which a worker finds the bucket of its endpoint. */
import { LIVE_STORAGE_ENV, STORAGE_ENV } from "../../runtime/protocol/storage-env.ts";
import type { Credentials } from "./access-keys.ts";
import { REGION } from "./region.ts";

export interface StorageAddress extends Credentials {
  readonly endpoint: string;
  readonly bucket: string;
}

/**
 * Those of its template win. One that names another service gets none of ours: keys are for the service they belong to.
 *
 * @param templateEnv the variables of the worker's template
 */
export function storageEnvironment(
  templateEnv: Readonly<Record<string, string>>,
  { endpoint, bucket, accessKeyId, secretAccessKey }: StorageAddress,
): Readonly<Record<string, string>> {
  const isElsewhere = [STORAGE_ENV.endpoint, LIVE_STORAGE_ENV.endpoint, STORAGE_ENV.directory].some(
    (name) => (templateEnv[name] ?? "") !== "",
  );
  if (isElsewhere) return {};
  return {
    [STORAGE_ENV.endpoint]: endpoint,
    [STORAGE_ENV.accessKeyId]: accessKeyId,
    [STORAGE_ENV.secretAccessKey]: secretAccessKey,
    [STORAGE_ENV.bucket]: bucket,
    [STORAGE_ENV.region]: REGION,
  };
}

/** The bucket that a template's variables name in the place of the endpoint's: its keys are good for that too. */
export function namedBuckets(templateEnv: Readonly<Record<string, string>>): readonly string[] {
  const name = templateEnv[STORAGE_ENV.bucket] ?? "";
  return name === "" ? [] : [name];
}
