/** The errors of the object store: a closed table of S3's codes and their HTTP statuses. */

/** HTTP statuses by code (spec: S3). Codes with the mark `ours` are not S3's. */
export const S3_STATUS = {
  AccessDenied: 403,
  AuthorizationHeaderMalformed: 400,
  AuthorizationQueryParametersError: 400,
  BadDigest: 400,
  BucketAlreadyOwnedByYou: 409,
  BucketNotEmpty: 409,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  IncompleteBody: 400,
  /** The disk is full (ours). Clients do not retry at once after this status. */
  InsufficientStorage: 507,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidBucketName: 400,
  InvalidDigest: 400,
  /** The key cannot be the name of a file in a network volume (ours). */
  InvalidObjectName: 400,
  InvalidPart: 400,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidURI: 400,
  KeyTooLongError: 400,
  MalformedXML: 400,
  MaxMessageLengthExceeded: 400,
  MetadataTooLarge: 400,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  NotImplemented: 501,
  NotModified: 304,
  PreconditionFailed: 412,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  XAmzContentSHA256Mismatch: 400,
} as const;

export type S3Code = keyof typeof S3_STATUS;

/** A refusal with S3's code. The message is a sentence for the user of the client. */
export class S3Error extends Error {
  override readonly name = "S3Error";
  readonly code: S3Code;
  /** More elements of the error's XML by name, for example `{ Key: "a.png" }`. */
  readonly details: Readonly<Record<string, string>>;

  constructor(
    code: S3Code,
    message: string,
    details: Readonly<Record<string, string>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return S3_STATUS[this.code];
  }
}

export function noSuchBucket(name: string): S3Error {
  return new S3Error("NoSuchBucket", `there is no bucket "${name}"`, { BucketName: name });
}

export function noSuchKey(key: string): S3Error {
  return new S3Error("NoSuchKey", "the bucket has no object with this key", { Key: key });
}

export function noSuchUpload(uploadId: string): S3Error {
  return new S3Error(
    "NoSuchUpload",
    "there is no such multipart upload; it was never begun, or it was completed or aborted",
    { UploadId: uploadId },
  );
}
