/**
 * The text of a request that Signature Version 4 signs. Written here and not taken from the library that signs requests,
 * because that one prepares a request of its own: it puts its own date into it, leaves out headers it would not sign, and
 * hides those of a presigned request in the query, so that what another client sent cannot be told from it.
 */
import type { RawRequest } from "./raw-request.ts";
import { uriDecode, uriEncode } from "./uri-encoding.ts";

const SIGNATURE_PARAMETER = "X-Amz-Signature";

/**
 * @param path one of `canonicalPaths`
 * @param signedHeaders lower-case names, as the client lists them
 */
export function canonicalRequest(
  request: RawRequest,
  path: string,
  signedHeaders: readonly string[],
  payloadHash: string,
): string {
  const headers = signedHeaders.map(
    (name) => `${name}:${canonicalValue(request.headers.get(name))}`,
  );
  return [
    request.method,
    path,
    canonicalQuery(request.query),
    ...headers,
    "",
    signedHeaders.join(";"),
    payloadHash,
  ].join("\n");
}

/**
 * What a client may have signed as the path: each part encoded anew, as the rules say, or what it sent, as some do that
 * send more letters, or fewer, as they are. Both name the same object.
 *
 * @throws S3Error InvalidURI
 */
export function canonicalPaths(path: string): readonly string[] {
  const encoded = path
    .split("/")
    .map((part) => uriEncode(uriDecode(part)))
    .join("/");
  return encoded === path ? [path] : [encoded, path];
}

function canonicalQuery(query: RawRequest["query"]): string {
  return query
    .filter(([name]) => name !== SIGNATURE_PARAMETER)
    .map(([name, value]) => [uriEncode(name), uriEncode(value)] as const)
    .toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function canonicalValue(value = ""): string {
  return value.replaceAll(/[ \t]+/g, " ").trim();
}
