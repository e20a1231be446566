/** Finds the fields that a request really changes: a value equal to the present one is no change. */
import { isDeepStrictEqual } from "node:util";

/** The fields of `wanted` whose value is another than in `present`. No list and an empty one are the same. Sorted. */
export function changedFields<Thing extends object>(
  present: Thing,
  wanted: Thing,
): readonly (keyof Thing & string)[] {
  const fields = Object.keys({ ...present, ...wanted }) as (keyof Thing & string)[];
  return fields.filter((field) => !isSame(present[field], wanted[field])).toSorted();
}

function isSame(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b) || (isEmptyList(a) && isEmptyList(b));
}

function isEmptyList(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}
