/**
 * The canonical text of a request, which Signature Version 4 signs. A library that signs requests cannot check one: it uses its own
 * date, omits headers that it would not sign, and moves the headers of a presigned request into the query.
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
 * The paths that a client may have signed: the path with each part encoded anew, as the rules say, or the path that it sent, which
 * some clients encode otherwise. Both name the same object.
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
