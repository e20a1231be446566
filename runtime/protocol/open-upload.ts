/** An upload in parts that a handler process has begun, with all data to abort it from another process. */
export interface OpenUpload {
  readonly uploadId: string;
  readonly bucket: string;
  readonly key: string;
  readonly endpointUrl: string;
  readonly region: string;
  readonly forcePathStyle: boolean;
  readonly accessKeyId: string;
  /** The secret is not encrypted, because it never leaves the worker's own processes. */
  readonly secretAccessKey: string;
}
