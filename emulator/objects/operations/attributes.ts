/** The request headers that are stored with an object, and returned with it. */
import { validateHeaderName, validateHeaderValue } from "node:http";
import type { Attributes, ObjectInfo } from "../object-store.ts";
import { S3Error } from "../s3-error.ts";

/** Headers that are stored as they were sent. */
export const KEPT_HEADERS = [
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-type",
  "expires",
] as const;

const METADATA_PREFIX = "x-amz-meta-";

/** Maximum size of all names and values of metadata (spec: S3). */
const METADATA_MAX_BYTES = 2_048;

const DEFAULT_CONTENT_TYPE = "binary/octet-stream";

/** @throws S3Error MetadataTooLarge */
export function attributesOf(headers: ReadonlyMap<string, string>): Attributes {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = name === "content-encoding" ? storedEncoding(headers) : headers.get(name);
    if (value !== undefined && value !== "") kept[name] = value;
  }
  const metadata = [...headers]
    .filter(([name]) => name.startsWith(METADATA_PREFIX))
    .map(([name, value]) => [name.slice(METADATA_PREFIX.length), value] as const);
  const sizeBytes = metadata.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (sizeBytes > METADATA_MAX_BYTES) {
    throw new S3Error("MetadataTooLarge", "the object's metadata is larger than 2 KB", {
      Size: String(sizeBytes),
      MaxSizeAllowed: String(METADATA_MAX_BYTES),
    });
  }
  return { headers: kept, metadata: Object.fromEntries(metadata) };
}

/** The headers of an answer that describe an object. */
export function headersOf(info: ObjectInfo): Record<string, string> {
  const metadata = Object.entries(info.metadata);
  return {
    "content-type": DEFAULT_CONTENT_TYPE,
    ...info.headers,
    ...Object.fromEntries(metadata.map(([name, value]) => [METADATA_PREFIX + name, value])),
    etag: quoted(info.etag),
    "last-modified": new Date(info.modifiedAt).toUTCString(),
    "accept-ranges": "bytes",
  };
}

export function quoted(etag: string): string {
  return `"${etag}"`;
}

/** The ETag without quotes, which careless clients omit. */
export function unquoted(etag: string): string {
  return etag.trim().replace(/^(?:W\/)?"(.*)"$/, "$1");
}

/** The content encoding without `aws-chunked`, which is only the framing of the body. */
function storedEncoding(headers: ReadonlyMap<string, string>): string | undefined {
  const encodings = headers.get("content-encoding")?.split(",") ?? [];
  return encodings
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== "aws-chunked")
    .join(",");
}

/**
 * Checks that a text from a URL can be a header.
 *
 * @param parameter the name of the text in the URL
 * @throws S3Error InvalidArgument
 */
export function checkHeader(name: string, value: string, parameter: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch (error) {
    throw new S3Error(
      "InvalidArgument",
      "a parameter that is to be a header must have no line breaks, and no characters outside of ISO 8859-1",
      { ArgumentName: parameter, ArgumentValue: value },
      { cause: error },
    );
  }
}
