/** Finds the fields that a request changes; a value equal to the present one changes nothing. */
import { isDeepStrictEqual } from "node:util";

/** The names of the fields whose wanted value differs from the present one, sorted. An absent list equals an empty one. */
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
