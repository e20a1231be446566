/** The HTTP conditions of reads and writes. */
import type { ObjectInfo, WriteCondition } from "../object-store.ts";
import { S3Error } from "../s3-error.ts";
import { headersOf, unquoted } from "./attributes.ts";

type Headers = ReadonlyMap<string, string>;

/**
 * Checks the conditions of a read in HTTP's order: an ETag has priority over a date.
 *
 * @param prefix of the header names, for the source of a copy
 * @throws S3Error PreconditionFailed, NotModified
 */
export function checkRead(headers: Headers, info: ObjectInfo, prefix = ""): void {
  const match = headers.get(`${prefix}if-match`);
  const noneMatch = headers.get(`${prefix}if-none-match`);
  const unmodifiedSince = dateIn(headers, `${prefix}if-unmodified-since`);
  const modifiedSince = dateIn(headers, `${prefix}if-modified-since`);
  // Dates in headers have whole seconds.
  const modifiedAt = Math.floor(info.modifiedAt / 1_000) * 1_000;
  if (match === undefined ? modifiedAt > (unmodifiedSince ?? Infinity) : !names(match, info)) {
    const condition = match === undefined ? "If-Unmodified-Since" : "If-Match";
    throw failed(prefix, condition);
  }
  const isUnchanged =
    noneMatch === undefined ? modifiedAt <= (modifiedSince ?? -Infinity) : names(noneMatch, info);
  if (!isUnchanged) return;
  // A copy has no answer Not Modified, so it is refused.
  if (prefix !== "") throw failed(prefix, "If-None-Match");
  throw new S3Error("NotModified", "the client has this object already", headersOf(info));
}

/** Whether to send the range. A changed object is sent whole, because the client has a part of the old one. */
export function wantsRange(headers: Headers, info: ObjectInfo): boolean {
  const condition = headers.get("if-range");
  if (condition === undefined) return true;
  const at = Date.parse(condition);
  if (condition.startsWith('"') || Number.isNaN(at)) return names(condition, info);
  return Math.floor(info.modifiedAt / 1_000) * 1_000 <= at;
}

/** @throws S3Error NotImplemented for a condition that S3 does not know either */
export function writeCondition(headers: Headers): WriteCondition {
  const match = headers.get("if-match");
  const noneMatch = headers.get("if-none-match");
  if (noneMatch !== undefined && noneMatch.trim() !== "*") {
    throw new S3Error("NotImplemented", "If-None-Match of a write can be * only");
  }
  return {
    ...(match !== undefined && { ifMatch: unquoted(match) }),
    ...(noneMatch !== undefined && { ifAbsent: true }),
  };
}

function names(list: string, { etag }: ObjectInfo): boolean {
  return list.split(",").some((name) => name.trim() === "*" || unquoted(name) === etag);
}

/** Ignores a date that is invalid. */
function dateIn(headers: Headers, name: string): number | undefined {
  const at = Date.parse(headers.get(name) ?? "");
  return Number.isNaN(at) ? undefined : at;
}

function failed(prefix: string, condition: string): S3Error {
  return new S3Error("PreconditionFailed", "a condition of the request does not hold", {
    Condition: prefix + condition,
  });
}
