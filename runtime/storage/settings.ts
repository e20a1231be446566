/** Finds the settings of a job's bucket: in its submission, else in the environment; never in both. */
import { LIVE_STORAGE_ENV, STORAGE_ENV } from "../protocol/environment/storage-env.ts";
import { type Environment, variable } from "../protocol/environment/worker-env.ts";
import { type BucketAddress, readBucketAddress } from "./bucket-address.ts";
import type { S3Config } from "./contract.ts";
import { Secret } from "./secret.ts";
import { StorageError } from "./storage-error.ts";

export type ServiceAddress = Pick<BucketAddress, "endpointUrl" | "forcePathStyle">;

export interface BucketSettings extends Omit<BucketAddress, "bucket"> {
  readonly kind: "s3";
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  /** The address for readers of objects, where it is another one. */
  readonly public?: ServiceAddress | undefined;
  /** The place of the settings, for messages. */
  readonly source: string;
}

/** A directory in place of a bucket. */
export interface DirectorySettings {
  readonly kind: "directory";
  readonly directory: string;
}

export type StorageSettings = BucketSettings | DirectorySettings;

/** Values of one source, with their names there. */
interface Found {
  readonly source: string;
  readonly endpoint: Named;
  readonly accessKeyId: Named;
  readonly secretAccessKey: Named;
  /** Absent if only the address can name it. */
  readonly bucket?: Named;
  readonly region?: string | undefined;
  readonly publicUrl: Named;
}

interface Named {
  readonly name: string;
  /** Undefined if it is missing or empty. */
  readonly value: string | undefined;
}

/**
 * A submission with its own settings must have all of them. Otherwise its client could make the worker use the worker's
 * credentials for a different server.
 * @throws StorageError `storage_not_configured`, with the missing settings
 */
export function readStorageSettings(
  s3Config: S3Config | undefined,
  env: Environment,
): StorageSettings {
  const own = found("the job's s3Config", S3_CONFIG, { ...s3Config });
  if (isTouched(own)) return complete(own);
  const directory = variable(env, STORAGE_ENV.directory);
  if (directory !== undefined) return { kind: "directory", directory };
  const ofWorker = found("the environment (SV_S3_…)", STORAGE_ENV, env);
  if (isTouched(ofWorker)) return complete(ofWorker);
  const live = found("the environment (BUCKET_…)", LIVE_STORAGE_ENV, env);
  if (isTouched(live)) return complete(live);
  const { endpoint, accessKeyId, secretAccessKey, bucket } = STORAGE_ENV;
  throw unconfigured(
    "There is no object storage for this job: submit it with s3Config, or set " +
      `${endpoint}, ${accessKeyId}, ${secretAccessKey} and ${bucket} for the worker; ` +
      "sv-worker run takes --objects <directory> instead.",
  );
}

/** Names of the settings in the job's `s3Config`. */
const S3_CONFIG: Names = {
  endpoint: "endpointUrl",
  accessKeyId: "accessId",
  secretAccessKey: "accessSecret",
  bucket: "bucketName",
  region: "region",
  publicUrl: "publicUrl",
};

type Names = Readonly<Record<"endpoint" | "accessKeyId" | "secretAccessKey", string>> & {
  readonly bucket?: string;
  readonly region: string;
  readonly publicUrl: string;
};

function found(source: string, names: Names, values: Environment): Found {
  const named = (name: string): Named => ({ name, value: variable(values, name) });
  return {
    source,
    endpoint: named(names.endpoint),
    accessKeyId: named(names.accessKeyId),
    secretAccessKey: named(names.secretAccessKey),
    ...(names.bucket !== undefined && { bucket: named(names.bucket) }),
    region: variable(values, names.region),
    publicUrl: named(names.publicUrl),
  };
}

function isTouched({ endpoint, accessKeyId, secretAccessKey, bucket }: Found): boolean {
  return [endpoint, accessKeyId, secretAccessKey, bucket].some((each) => each?.value !== undefined);
}

/** @throws StorageError */
function complete(given: Found): BucketSettings {
  const { source, region } = given;
  const lacking: string[] = [];
  const need = ({ name, value }: Named): string => {
    if (value === undefined) lacking.push(name);
    return value ?? "";
  };
  const endpointUrl = need(given.endpoint);
  const accessKeyId = need(given.accessKeyId);
  const secretAccessKey = need(given.secretAccessKey);
  const bucketName = given.bucket && need(given.bucket);
  if (lacking.length > 0)
    throw unconfigured(`Object storage is not configured: ${source} lacks ${lacking.join(", ")}.`);
  const address = readBucketAddress(endpointUrl, bucketName);
  const { name } = given.endpoint;
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
    public: addressForReaders(given, bucket),
    region: region ?? address.region,
    accessKeyId,
    secretAccessKey: new Secret(secretAccessKey),
    source,
  };
}

/** @throws StorageError */
function addressForReaders(
  { publicUrl, source }: Found,
  bucket: string,
): ServiceAddress | undefined {
  const { name, value } = publicUrl;
  if (value === undefined) return undefined;
  const address = readBucketAddress(value, bucket);
  if (address !== undefined) return address;
  throw unconfigured(
    `Object storage is not configured: ${name} of ${source} is no http or https URL.`,
  );
}

function unconfigured(message: string): StorageError {
  return new StorageError("storage_not_configured", message);
}
