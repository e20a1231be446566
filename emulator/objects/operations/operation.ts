/** What an operation is given and what it answers, apart from HTTP's wire. */
import type { IncomingBody } from "../server/incoming-body.ts";
import type { Bucket, ByteRange, ObjectStore, OpenObject } from "../object-store.ts";
import { S3_NAMESPACE, type XmlElements, xmlDocument } from "../xml/write-xml.ts";

export interface S3Request {
  /** With the buckets that the request's keys are good for. */
  readonly store: ObjectStore;
  readonly method: string;
  /** Empty for the store itself. */
  readonly bucket: string;
  /** Empty for a bucket. */
  readonly key: string;
  /** Decoded; of a name that occurs twice, the first. */
  readonly query: ReadonlyMap<string, string>;
  /** By lower-case name, with those a presigned request has in its query. */
  readonly headers: ReadonlyMap<string, string>;
  /** The address the client used, with the bucket and the key. */
  readonly url: string;
  readonly body: IncomingBody;
}

export interface S3Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  /** Whole, or an object of which a range is to be sent and that is to be disposed of. */
  readonly body?: string | { readonly object: OpenObject; readonly range: ByteRange | undefined };
}

export type Operation = (request: S3Request) => Promise<S3Answer>;

/** The largest body of XML a request may have (ours): a thousand keys, or ten thousand parts, with room to spare. */
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
