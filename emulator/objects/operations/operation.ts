/** The requests and answers of operations, apart from HTTP's wire format. */
import type { IncomingBody } from "../server/incoming-body.ts";
import type { Bucket, ByteRange, ObjectStore, OpenObject } from "../object-store.ts";
import { S3_NAMESPACE, type XmlElements, xmlDocument } from "../xml/write-xml.ts";

export interface S3Request {
  /** The store with the buckets that the request's keys open. */
  readonly store: ObjectStore;
  readonly method: string;
  /** Empty for the store itself. */
  readonly bucket: string;
  /** Empty for a bucket. */
  readonly key: string;
  /** Decoded. Of several values with one name, the first counts. */
  readonly query: ReadonlyMap<string, string>;
  /** By lower-case name, including those in the query of a presigned request. */
  readonly headers: ReadonlyMap<string, string>;
  /** The URL that the client used, with the bucket and the key. */
  readonly url: string;
  readonly body: IncomingBody;
}

export interface S3Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  /** A text, or an open object with the range to send. The object is disposed of afterwards. */
  readonly body?: string | { readonly object: OpenObject; readonly range: ByteRange | undefined };
}

export type Operation = (request: S3Request) => Promise<S3Answer>;

/** Maximum size of an XML body (ours): enough for a thousand keys or ten thousand parts. */
export const XML_MAX_BYTES = 8_000_000;

/** @throws S3Error NoSuchBucket */
export function bucketOf({ store, bucket }: S3Request): Bucket {
  return store.bucket(bucket);
}

export function xmlAnswer(
  root: string,
  elements: XmlElements,
  headers: S3Answer["headers"] = {},
): S3Answer {
  return {
    status: 200,
    headers: { ...headers, "content-type": "application/xml" },
    body: xmlDocument(root, elements, S3_NAMESPACE),
  };
}
