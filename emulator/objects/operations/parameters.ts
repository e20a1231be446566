/** Request parameters and answer values that several operations share. */
import type { ByteRange } from "../object-store.ts";
import { S3Error } from "../s3-error.ts";
import { uriEncode } from "../signature/uri-encoding.ts";
import type { S3Request } from "./operation.ts";

/** Maximum number of entries of a page (spec: S3). */
const PAGE_MAX = 1_000;

/** Maximum size of a PUT, a part and a copy (spec: S3). */
export const PUT_MAX_BYTES = 5 * 1_073_741_824;

/** The owner of everything: there is one user. */
export const OWNER = { ID: "sv-runtime", DisplayName: "sv-runtime" };

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/** @throws S3Error InvalidArgument */
export function pageSize({ query }: S3Request, name: string): number {
  return Math.min(PAGE_MAX, numberIn(query, name, 0) ?? PAGE_MAX);
}

/** A whole number from `min` on. @throws S3Error InvalidArgument */
export function numberIn(
  query: ReadonlyMap<string, string>,
  name: string,
  min: number,
): number | undefined {
  const text = query.get(name);
  if (text === undefined || text === "") return undefined;
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= 2_147_483_647) return number;
  throw new S3Error("InvalidArgument", `${name} must be a whole number from ${min}`, {
    ArgumentName: name,
    ArgumentValue: text,
  });
}

/** Writes the texts of a listing: as they are, or URL-encoded, which allows any character. */
export function textEncoder({ query }: S3Request): (text: string) => string {
  const encoding = query.get("encoding-type") ?? "";
  if (encoding === "") return (text) => text;
  if (encoding === "url") return (text) => text.split("/").map(uriEncode).join("/");
  throw new S3Error("InvalidArgument", "encoding-type must be url", {
    ArgumentName: "encoding-type",
    ArgumentValue: encoding,
  });
}

/** Encodes a text so that it needs no escaping. */
export function tokenOf(text: string): string {
  return Buffer.from(text).toString("base64url");
}

/** Decodes a token. @throws S3Error InvalidArgument for a text that `tokenOf` did not make */
export function textOfToken(token: string): string {
  const text = Buffer.from(token, "base64url").toString();
  if (tokenOf(text) === token) return text;
  throw new S3Error("InvalidArgument", "the continuation token was not made by this store", {
    ArgumentName: "continuation-token",
  });
}

/** ISO 8601, as in listings. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/**
 * The requested range of an object. Undefined for the whole object, which S3 also sends for several ranges or an invalid one.
 *
 * @throws S3Error InvalidRange if none of these bytes exist
 */
export function rangeOf(header: string | undefined, sizeBytes: number): ByteRange | undefined {
  const [, first = "", last = ""] = RANGE.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const end = first === "" || last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  const start = first === "" ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  if (start <= end) return { start, end };
  throw new S3Error("InvalidRange", "the object has none of the bytes asked for", {
    RangeRequested: header ?? "",
    ActualObjectSize: String(sizeBytes),
  });
}
