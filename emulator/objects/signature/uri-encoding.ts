/** Percent encoding in signatures of S3: every byte that RFC 3986 does not list as unreserved, in capital letters. */
import { S3Error } from "../s3-error.ts";

const STILL_RESERVED = /[!'()*]/g;

/** @throws URIError for text that is not well-formed Unicode */
export function uriEncode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    STILL_RESERVED,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** @throws S3Error InvalidURI if the bytes are not UTF-8, or a `%` stands alone */
export function uriDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw new S3Error(
      "InvalidURI",
      'the request\'s address cannot be decoded: a "%" must be followed by two hex digits, and the bytes must be UTF-8',
      {},
      { cause: error },
    );
  }
}
