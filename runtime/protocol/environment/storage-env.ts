/** The environment variables that describe a handler process's object storage, and how its secrets are shown. */

/** Environment variables, under our own names, that describe one bucket. */
export const STORAGE_ENV = {
  /** Address of the S3 service, `https://host[:port][/path]`. */
  endpoint: "SV_S3_ENDPOINT",
  accessKeyId: "SV_S3_ACCESS_KEY_ID",
  secretAccessKey: "SV_S3_SECRET_ACCESS_KEY",
  bucket: "SV_S3_BUCKET",
  /** Default: derived from the endpoint. */
  region: "SV_S3_REGION",
  /** Address of the service for readers of objects; default: the endpoint. */
  publicUrl: "SV_S3_PUBLIC_URL",
  /** A directory in place of a bucket; set by `sv-worker run --objects`. */
  directory: "SV_OBJECTS_DIR",
} as const;

/** Environment variables of images written for the public service; the address holds the bucket's name. */
export const LIVE_STORAGE_ENV = {
  endpoint: "BUCKET_ENDPOINT_URL",
  accessKeyId: "BUCKET_ACCESS_KEY_ID",
  secretAccessKey: "BUCKET_SECRET_ACCESS_KEY",
  region: "BUCKET_REGION",
  publicUrl: "BUCKET_PUBLIC_URL",
} as const;

/** Text in place of a secret. */
export const SHOWN_SECRET = "[secret]";

/** Minimum length of a secret that is masked in texts. Shorter ones may be parts of common words. */
export const MASKED_MIN_LENGTH = 8;
