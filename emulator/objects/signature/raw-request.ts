/** The parts of a request that a signature covers, as they were sent. */
import { uriDecode } from "./uri-encoding.ts";
import { S3Error } from "../s3-error.ts";

export interface RawRequest {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** Decoded, in the order sent. */
  readonly query: readonly (readonly [string, string])[];
  /** By lower-case name. Several values of one name are joined with a comma. */
  readonly headers: ReadonlyMap<string, string>;
}

/**
 * @param target the text between the method and the version in the request line
 * @param rawHeaders names and values by turns
 * @throws S3Error InvalidURI
 */
export function rawRequest(
  method: string,
  target: string,
  rawHeaders: readonly string[],
): RawRequest {
  const at = target.indexOf("?");
  const path = at === -1 ? target : target.slice(0, at);
  if (!path.startsWith("/")) {
    throw new S3Error("InvalidURI", 'the address in the request line must begin with "/"');
  }
  return {
    method,
    path,
    query: at === -1 ? [] : queryOf(target.slice(at + 1)),
    headers: headersOf(rawHeaders),
  };
}

function queryOf(text: string): readonly (readonly [string, string])[] {
  const pairs = text.split("&").filter((pair) => pair !== "");
  return pairs.map((pair) => {
    const [name = "", ...values] = pair.replaceAll("+", "%20").split("=");
    return [uriDecode(name), uriDecode(values.join("="))] as const;
  });
}

function headersOf(rawHeaders: readonly string[]): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase();
    const value = rawHeaders[at + 1] ?? "";
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before},${value}`);
  }
  return headers;
}
