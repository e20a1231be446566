/** Finds the settings of a job's bucket: in its submission, else in the environment, never mixed from both. */
import { LIVE_STORAGE_ENV, STORAGE_ENV } from "../protocol/storage-env.ts";
import { type BucketAddress, readBucketAddress } from "./bucket-address.ts";
import type { S3Config } from "./contract.ts";
import { Secret } from "./secret.ts";
import { StorageError } from "./storage-error.ts";

export interface BucketSettings extends Omit<BucketAddress, "bucket"> {
  readonly kind: "s3";
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  /** Where they were found, for messages. */
  readonly source: string;
}

/** A directory in place of a bucket. */
export interface DirectorySettings {
  readonly kind: "directory";
  readonly directory: string;
}

export type StorageSettings = BucketSettings | DirectorySettings;

export type Environment = Readonly<Record<string, string | undefined>>;

/** One source's values, and what each is called there. */
interface Found {
  readonly source: string;
  readonly endpoint: Named;
  readonly accessKeyId: Named;
  readonly secretAccessKey: Named;
  /** Absent where the address alone can name it. */
  readonly bucket?: Named;
  readonly region?: string | undefined;
}

interface Named {
  readonly name: string;
  /** Undefined when it is not there, or empty. */
  readonly value: string | undefined;
}

/**
 * A submission that brings settings of its own has to bring all of them: its client would otherwise have the worker
 * sign with the worker's credentials for a place of the client's choice.
 *
 * @throws StorageError `storage_not_configured`, with what lacks
 */
export function readStorageSettings(
  s3Config: S3Config | undefined,
  env: Environment,
): StorageSettings {
  const own = s3Config === undefined ? undefined : fromJob(s3Config);
  if (own !== undefined && isTouched(own)) return complete(own);
  const directory = env[STORAGE_ENV.directory];
  if (isSet(directory)) return { kind: "directory", directory };
  const found = [fromEnv(env), fromLiveEnv(env)].find(isTouched);
  if (found !== undefined) return complete(found);
  const { endpoint, accessKeyId, secretAccessKey, bucket } = STORAGE_ENV;
  throw unconfigured(
    "There is no object storage for this job: submit it with s3Config, or set " +
      `${endpoint}, ${accessKeyId}, ${secretAccessKey} and ${bucket} for the worker; ` +
      "sv-worker run takes --objects <directory> instead.",
  );
}

function fromJob(s3Config: S3Config): Found {
  return {
    source: "the job's s3Config",
    endpoint: named("endpointUrl", s3Config.endpointUrl),
    accessKeyId: named("accessId", s3Config.accessId),
    secretAccessKey: named("accessSecret", s3Config.accessSecret),
    bucket: named("bucketName", s3Config.bucketName),
  };
}

function fromEnv(env: Environment): Found {
  const region = env[STORAGE_ENV.region];
  return {
    source: "the environment (SV_S3_…)",
    endpoint: named(STORAGE_ENV.endpoint, env[STORAGE_ENV.endpoint]),
    accessKeyId: named(STORAGE_ENV.accessKeyId, env[STORAGE_ENV.accessKeyId]),
    secretAccessKey: named(STORAGE_ENV.secretAccessKey, env[STORAGE_ENV.secretAccessKey]),
    bucket: named(STORAGE_ENV.bucket, env[STORAGE_ENV.bucket]),
    ...(isSet(region) ? { region } : {}),
  };
}

function fromLiveEnv(env: Environment): Found {
  const names = LIVE_STORAGE_ENV;
  return {
    source: "the environment (BUCKET_…)",
    endpoint: named(names.endpoint, env[names.endpoint]),
    accessKeyId: named(names.accessKeyId, env[names.accessKeyId]),
    secretAccessKey: named(names.secretAccessKey, env[names.secretAccessKey]),
  };
}

function named(name: string, value: string | undefined): Named {
  return { name, value: isSet(value) ? value : undefined };
}

/** An empty one counts as none: a container's configuration often cannot leave one out. */
function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}

function isTouched({ endpoint, accessKeyId, secretAccessKey, bucket }: Found): boolean {
  return [endpoint, accessKeyId, secretAccessKey, bucket].some((each) => each?.value !== undefined);
}

/** @throws StorageError */
function complete(found: Found): BucketSettings {
  const { source, region } = found;
  const lacking: string[] = [];
  const need = ({ name, value }: Named): string => {
    if (value === undefined) lacking.push(name);
    return value ?? "";
  };
  const endpointUrl = need(found.endpoint);
  const accessKeyId = need(found.accessKeyId);
  const secretAccessKey = need(found.secretAccessKey);
  const given = found.bucket === undefined ? undefined : need(found.bucket);
  if (lacking.length > 0)
    throw unconfigured(`Object storage is not configured: ${source} lacks ${lacking.join(", ")}.`);
  const address = readBucketAddress(endpointUrl, given);
  const { name } = found.endpoint;
  if (address === undefined) {
    throw unconfigured(
      `Object storage is not configured: ${name} of ${source} is no http or https URL.`,
    );
  }
  const { bucket } = address;
  if (bucket === undefined) {
    throw unconfigured(
      `${name} must hold the bucket's name, as https://my-bucket.s3.us-east-1.amazonaws.com does.`,
    );
  }
  return {
    kind: "s3",
    ...address,
    bucket,
    region: region ?? address.region,
    accessKeyId,
    secretAccessKey: new Secret(secretAccessKey),
    source,
  };
}

function unconfigured(message: string): StorageError {
  return new StorageError("storage_not_configured", message);
}
