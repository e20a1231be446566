/** Types of `context.upload`, `context.uploadDir` and `context.download`: a handler's access to object storage. */

/** Object-storage settings of a submission, for handlers that upload (spec). */
export interface S3Config {
  readonly accessId?: string;
  readonly accessSecret?: string;
  readonly bucketName?: string;
  readonly endpointUrl?: string;
  /** The region for signatures; default: derived from the endpoint (ours). */
  readonly region?: string;
  /** Address of the service for readers, in the addresses of uploaded objects; default: `endpointUrl` (ours). */
  readonly publicUrl?: string;
}

/** A file to upload. A plain string is content, never a path. */
export interface FileBody {
  /** A relative path starts at the process's working directory. */
  readonly file: string | URL;
}

/**
 * Content for an upload: text (stored as UTF-8), bytes, a `Blob`, the body of a `Response`, a file (`{ file: path }` or a `file:`
 * URL), a Node or web stream, or anything that yields bytes or text asynchronously.
 */
export type UploadBody =
  | string
  | Uint8Array
  | ArrayBuffer
  | Blob
  | Response
  | URL
  | FileBody
  | ReadableStream<Uint8Array | string>
  | AsyncIterable<Uint8Array | string>;

/** Called whenever a part of the body has arrived; `sentBytes` grows from call to call. */
export interface UploadProgress {
  readonly sentBytes: number;
  /** Bytes of the whole body, if they are known in advance. */
  readonly totalBytes?: number;
}

/** Options for storing an object. */
export interface UploadOptions {
  /**
   * Default: the type of a Blob; otherwise by the ending of the key; otherwise `text/plain` for text, and
   * `application/octet-stream` for the rest.
   */
  readonly contentType?: string;
  /**
   * The header `Content-Disposition` of the object, for example `attachment; filename="report.pdf"`. It is printable ASCII; other
   * names are written as `filename*=UTF-8''%C3%BC.pdf`. Default: none.
   */
  readonly contentDisposition?: string;
  /** How long caches keep the object, for example `public, max-age=31536000, immutable`. Default: none. */
  readonly cacheControl?: string;
  /** Stored with the object. Names and values must be printable ASCII. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Validity of the answer's `url`, ms: 1 s to 7 days; default 7 days (ours: the maximum). */
  readonly expiresInMs?: number;
  /**
   * Size of a part, bytes; a body of at least this size is uploaded in parts. At least 5,242,880. Default: 6,000,000, and more
   * for a body that would need more than 10,000 parts of that size (ours).
   */
  readonly partSizeBytes?: number;
  /** Maximum number of parts that are sent at the same time. Each is in memory until it has arrived. Default 4 (ours). */
  readonly concurrency?: number;
  readonly onProgress?: (progress: UploadProgress) => void;
  /** Aborts this upload. The signal of the job aborts it in any case. */
  readonly signal?: AbortSignal;
}

/** An object that has been stored. */
export interface UploadedObject {
  /** Opens the object without credentials until it expires. */
  readonly url: string;
  readonly bucket: string;
  readonly key: string;
  readonly sizeBytes: number;
  /** The ETag from the service, without quotes. */
  readonly etag: string;
}

/** Options for storing the files of a directory. */
export interface UploadDirOptions extends Pick<
  UploadOptions,
  "metadata" | "expiresInMs" | "onProgress" | "signal" | "contentDisposition" | "cacheControl"
> {
  /** Maximum number of files that are sent at the same time, each with one part in memory. Default 4 (ours). */
  readonly concurrency?: number;
}

/** Options for downloading a file. */
export interface DownloadOptions {
  /** A larger download fails with `download_too_large`. Default: no limit. */
  readonly maxBytes?: number;
  /**
   * Refuses to connect to addresses that are not public, whichever name or redirect leads to them. Use it for URLs that come
   * from clients. Default false. The service of the job's bucket is never refused.
   */
  readonly forbidPrivateAddresses?: boolean;
  /** Maximum number of redirects; default 5. */
  readonly maxRedirects?: number;
  /** Maximum time without a byte, ms; default 30,000. */
  readonly idleTimeoutMs?: number;
  /** Maximum duration of the download, ms; default: the rest of the job's time. */
  readonly timeoutMs?: number;
  /**
   * The `User-Agent` of the requests, for servers that refuse programs; `browser`: that of a browser. Default: `sv-runtime`.
   */
  readonly userAgent?: string;
  /** Sent with requests to the origin of the URL. Not sent to another origin after a redirect, and not for a key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Name of the file; default: the last part of the URL or key. Characters that a file name cannot have become `_`. */
  readonly fileName?: string;
  /** Aborts this download. The signal of the job aborts it in any case. */
  readonly signal?: AbortSignal;
}

/** A file in the job's temporary directory. */
export interface DownloadedFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** The type that the server sent, or `application/octet-stream`. */
  readonly contentType: string;
}

/** Replaces an output that was too large and was uploaded to object storage (`largeOutput: "upload"`). */
export interface LargeOutput {
  /** The object holds the output's JSON text. */
  readonly largeOutput: UploadedObject;
}

/** The methods of a handler's context that move files. The runtime waits for unfinished transfers when the handler returns. */
export interface Transfers {
  /**
   * Stores an object in the job's bucket. Temporary errors are retried. When the job is stopped, the upload rejects and leaves
   * nothing behind.
   *
   * @param key the exact name of the object in the bucket: at most 1,024 bytes of UTF-8
   * @throws StorageError
   * @throws TypeError if `body` has a type that cannot be uploaded, or an option is invalid
   */
  readonly upload: (
    key: string,
    body: UploadBody,
    options?: UploadOptions,
  ) => Promise<UploadedObject>;
  /**
   * Stores all files in a directory and its subdirectories as `<prefix>/<relative path>`, sorted by key. If one upload fails,
   * the others are aborted too, and the files that were stored before stay.
   *
   * @throws StorageError
   * @throws TypeError if the directory has an entry that is neither a file nor a directory, or a link that leads out of it
   */
  readonly uploadDir: (
    prefix: string,
    directory: string | URL,
    options?: UploadDirOptions,
  ) => Promise<readonly UploadedObject[]>;
  /**
   * Downloads a file into a new subdirectory of the job's temporary directory.
   *
   * @param from an http, https or data URL, or the key of an object in the job's bucket. User and password of a URL are sent to its
   * origin only.
   * @throws StorageError
   */
  readonly download: (from: string | URL, options?: DownloadOptions) => Promise<DownloadedFile>;
}
