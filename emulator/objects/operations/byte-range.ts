/** Which bytes of an object a request wants. */
import type { ByteRange } from "../object-store.ts";
import { S3Error } from "../s3-error.ts";

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * Undefined for all of them: also where several ranges are asked for, or none that can be understood, as S3 does.
 *
 * @throws S3Error InvalidRange when none of the bytes asked for exist
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
