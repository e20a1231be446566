/** Says of a value without a JSON form what it is, and what to return instead. */

export const BINARY_UNFIT =
  "binary data, which has no JSON form: return it as a base64 string, or upload it";

/** Classes whose instances JSON.stringify writes as {}, each with what to return instead. */
const CLASSES: readonly (readonly [abstract new (...given: never[]) => object, string])[] = [
  [Map, "a Map, which has no JSON form: return Object.fromEntries(map) or [...map]"],
  [Set, "a Set, which has no JSON form: return [...set]"],
  [Promise, "a Promise, which has no JSON form: await it"],
  [WeakRef, "a WeakRef, which has no JSON form: return weakRef.deref()"],
  [Response, "a Response, which has no JSON form: return response.body, or await response.json()"],
  [Request, "a Request, which has no JSON form: return its url, or await request.json()"],
  [Headers, "Headers, which have no JSON form: return Object.fromEntries(headers)"],
  [FormData, "FormData, which has no JSON form: return Object.fromEntries(formData)"],
  [URLSearchParams, "URLSearchParams, which have no JSON form: return String(searchParams)"],
  [Blob, "a Blob, which has no JSON form: await blob.text(), or upload it"],
  [ArrayBuffer, BINARY_UNFIT],
];

/**
 * For example `a Map, which has no JSON form: return [...map]`. Undefined if JSON.stringify writes the value, whatever is inside it.
 */
export function describeUnfit(value: unknown): string | undefined {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? undefined : `${value}, which has no JSON form: return null`;
    case "bigint":
      return "a BigInt, which has no JSON form: return it as a string, or as a number if it fits";
    case "function":
      return "a function, which has no JSON form";
    case "symbol":
      return "a symbol, which has no JSON form";
    default:
      return typeof value === "object" && value !== null ? describeUnfitObject(value) : undefined;
  }
}

function describeUnfitObject(value: object): string | undefined {
  for (const [type, description] of CLASSES) if (value instanceof type) return description;
  if (isCallable(value, "then")) return "a promise, which has no JSON form: await it";
  if (isCallable(value, "pipe") || isCallable(value, Symbol.asyncIterator)) {
    return "a stream, which has no JSON form: return it alone, so that it is streamed";
  }
  if (isCallable(value, "next") && isCallable(value, Symbol.iterator)) {
    return "an iterator, which has no JSON form: return [...iterator], or return it alone, so that it is streamed";
  }
  return isOpaque(value)
    ? `${nameOf(value)}, which has no members that JSON shows: return its data, or give it a toJSON method`
    : undefined;
}

function isCallable(value: object, name: PropertyKey): boolean {
  return typeof Reflect.get(value, name) === "function";
}

/** Whether the value is an instance of a class that keeps its data to itself. */
function isOpaque(value: object): boolean {
  if (Array.isArray(value) || value instanceof Error || Object.keys(value).length > 0) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of a plain object, of this realm or another, has none itself.
  return prototype !== null && Object.getPrototypeOf(prototype) !== null;
}

function nameOf(value: object): string {
  const { name } = value.constructor;
  return name === "" ? "an object" : `an instance of ${name}`;
}
