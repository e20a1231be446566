/** Turns a verified request into the input of operations. */
import { checkKey } from "../object-key.ts";
import { checkHeader } from "../operations/attributes.ts";
import type { S3Request } from "../operations/operation.ts";
import { S3Error } from "../s3-error.ts";
import type { RawRequest } from "../signature/raw-request.ts";
import { uriDecode } from "../signature/uri-encoding.ts";

/** Parameters of the signature, which are no parameters of the operation. */
const SIGNATURE_PARAMETER =
  /^x-amz-(?:algorithm|credential|date|expires|signedheaders|signature|content-sha256|security-token)$/;

/** The path of the store in URLs, before the bucket: empty, or `/` and a name. */
export type BasePath = "" | `/${string}`;

/** @throws S3Error InvalidURI, KeyTooLongError, InvalidArgument */
export function requestOf(
  raw: RawRequest,
  isPresigned: boolean,
  basePath: BasePath,
  { scheme, ...given }: Pick<S3Request, "store" | "body"> & { readonly scheme: "http" | "https" },
): S3Request {
  const [bucket, key] = placeIn(raw.path.slice(basePath.length));
  checkKey(key);
  const query = new Map(raw.query.toReversed());
  const host = raw.headers.get("host") ?? "";
  return {
    method: raw.method,
    bucket,
    key,
    query,
    headers: isPresigned ? withHoisted(raw) : raw.headers,
    url: `${scheme}://${host}${raw.path}`,
    ...given,
  };
}

function placeIn(path: string): readonly [bucket: string, key: string] {
  const rest = path.slice(1);
  const at = rest.indexOf("/");
  if (at === -1) return [uriDecode(rest), ""];
  const bucket = uriDecode(rest.slice(0, at));
  const key = uriDecode(rest.slice(at + 1));
  if (bucket !== "" || key === "") return [bucket, key];
  throw new S3Error("InvalidURI", "the address has a key but no bucket");
}

/** The headers with those in the query of a presigned request, which are signed too. */
function withHoisted({ headers, query }: RawRequest): ReadonlyMap<string, string> {
  const all = new Map(headers);
  for (const [name, value] of query) {
    const header = name.toLowerCase();
    if (!header.startsWith("x-amz-") || SIGNATURE_PARAMETER.test(header)) continue;
    checkHeader(header, value, name);
    if (!all.has(header)) all.set(header, value);
  }
  return all;
}
