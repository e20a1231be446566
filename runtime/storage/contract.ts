/** Types of `context.upload` and its siblings: a handler's access to object storage. */

/** Object-storage settings of a submission, for handlers that upload (spec). */
export interface S3Config {
  readonly accessId?: string;
  readonly accessSecret?: string;
  readonly bucketName?: string;
  readonly endpointUrl?: string;
}

/** A file to upload. A string on its own is content, never a path. */
export interface FileBody {
  /** A relative path counts from the process's working directory. */
  readonly file: string | URL;
}

/**
 * What can be uploaded: text (stored as UTF-8), bytes, a `Blob`, a file (`{ file: path }` or a `file:` URL), a Node or
 * web stream, or anything that yields bytes or text asynchronously.
 */
export type UploadBody =
  | string
  | Uint8Array
  | ArrayBuffer
  | Blob
  | URL
  | FileBody
  | ReadableStream<Uint8Array | string>
  | AsyncIterable<Uint8Array | string>;

/** Called whenever a part of the body has arrived; `sentBytes` grows from call to call. */
export interface UploadProgress {
  readonly sentBytes: number;
  /** Bytes of the whole body, where they are known before. */
  readonly totalBytes?: number;
}

/** How to store an object. */
export interface UploadOptions {
  /** Default: a Blob's own, else by the ending of the key, else `text/plain` for text and `application/octet-stream`. */
  readonly contentType?: string;
  /** Kept with the object: names and values of printable ASCII. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** How long the answer's `url` is good for; ms, from 1 s to 7 days, default 7 days (ours: the longest there is). */
  readonly expiresInMs?: number;
  /**
   * Size of parts, and the size from which bodies are uploaded in parts; bytes, from 5,242,880, default 6,000,000, and more for
   * bodies that would exceed 10,000 such parts (ours).
   */
  readonly partSizeBytes?: number;
  /** Parts that are on their way at a time; each is held in memory until it has arrived; default 4 (ours). */
  readonly concurrency?: number;
  readonly onProgress?: (progress: UploadProgress) => void;
  /** Ends this upload; the job's own signal does so anyway. */
  readonly signal?: AbortSignal;
}

/** An object that has been stored. */
export interface UploadedObject {
  /** Opens the object without credentials until it expires. */
  readonly url: string;
  readonly bucket: string;
  readonly key: string;
  readonly sizeBytes: number;
  /** As sent by the service, without quotes. */
  readonly etag: string;
}

/** How to store the files of a directory. */
export interface UploadDirOptions extends Pick<
  UploadOptions,
  "metadata" | "expiresInMs" | "onProgress" | "signal"
> {
  /** Files that are on their way at a time, each with one part in memory; default 4 (ours). */
  readonly concurrency?: number;
}

/** How to fetch a file. */
export interface DownloadOptions {
  /** Fails with `download_too_large` as soon as more bytes come; default: no limit. */
  readonly maxBytes?: number;
  /**
   * Refuses to connect to addresses that are not public, whatever name or redirect leads to them; for URLs that come
   * from clients. Default false. A key's own service is never refused.
   */
  readonly forbidPrivateAddresses?: boolean;
  /** How many redirects are followed; default 5. */
  readonly maxRedirects?: number;
  /** Longest time without a byte; ms, default 30,000. */
  readonly idleTimeoutMs?: number;
  /** Longest time for the whole; ms, default: as long as the job has. */
  readonly timeoutMs?: number;
  /** Sent with requests to the URL's own origin; not after a redirect to another one, and not for a key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The file's name; default the last part of the URL or key. Characters unfit for a file name become `_`. */
  readonly fileName?: string;
  /** Ends this download; the job's own signal does so anyway. */
  readonly signal?: AbortSignal;
}

/** A file in the job's temporary directory. */
export interface DownloadedFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** As sent by the server, otherwise `application/octet-stream`. */
  readonly contentType: string;
}

/** What stands in for an output that was too large and went to object storage instead (`largeOutput: "upload"`). */
export interface LargeOutput {
  /** The object holds the output's JSON text. */
  readonly largeOutput: UploadedObject;
}

/** The part of a handler's context that moves files. What is still under way when the handler returns is waited for. */
export interface Transfers {
  /**
   * Stores an object in the job's bucket. Transient faults are retried. When the job is stopped, the upload rejects
   * and nothing of it stays behind.
   *
   * @param key the object's name in the bucket, as it is: at most 1,024 bytes of UTF-8
   * @throws StorageError
   * @throws TypeError when `body` is nothing that can be uploaded, or an option makes no sense
   */
  readonly upload: (
    key: string,
    body: UploadBody,
    options?: UploadOptions,
  ) => Promise<UploadedObject>;
  /**
   * Stores all files of a directory and those below it as `<prefix>/<relative path>`, sorted by key. When one fails,
   * the others end too; what was stored by then stays.
   *
   * @throws StorageError
   * @throws TypeError when something in it is no file, or a link that leads out of it
   */
  readonly uploadDir: (
    prefix: string,
    directory: string | URL,
    options?: UploadDirOptions,
  ) => Promise<readonly UploadedObject[]>;
  /**
   * Fetches a file into the job's temporary directory, each into a directory of its own there.
   *
   * @param from an http or https URL, or the key of an object in the job's bucket
   * @throws StorageError
   */
  readonly download: (from: string | URL, options?: DownloadOptions) => Promise<DownloadedFile>;
}
