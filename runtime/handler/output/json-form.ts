/**
 * Finds what JSON.stringify would lose in silence: it writes a Map as {}, NaN as null, and leaves functions out. Here each value has
 * a form that keeps its data, or is refused, with its place and with what to return instead.
 */
import { types } from "node:util";
import { describeUnfit } from "./unfit.ts";
import { isNumbers, isTensor, nested, type Numbers, tensorData } from "./tensor.ts";

/** A value, or one inside it, has no JSON form. */
export class UnfitValueError extends Error {
  /** Steps to the value inside, for example `result.items[3]`. Empty for the value itself. */
  readonly path: string;

  /** @param what says what the value is, for example `a Map, which has no JSON form` */
  constructor(path: string, what: string, options?: ErrorOptions) {
    super(what, options);
    this.path = path;
  }
}

/**
 * A copy of the value in plain data. Typed arrays and tensors become arrays of numbers, errors become objects, and `toJSON` methods
 * are called.
 *
 * @throws UnfitValueError
 */
export function jsonForm(value: unknown): unknown {
  return new JsonForm().of(value);
}

class JsonForm {
  /** Paths of the objects around the value that is being copied. */
  readonly #around = new Map<object, string>();
  /** Path of the value that is being copied. */
  #path = "";

  of(value: unknown): unknown {
    try {
      return this.#copy(value, "", "");
    } catch (error) {
      if (error instanceof UnfitValueError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      const isTooDeep = error instanceof RangeError && message.includes("call stack");
      if (isTooDeep) throw new UnfitValueError("", "nested too deeply", { cause: error });
      throw new UnfitValueError(this.#path, `something that cannot be read: ${message}`, {
        cause: error,
      });
    }
  }

  #copy(value: unknown, path: string, name: string): unknown {
    this.#path = path;
    const shown: unknown = hasToJson(value) ? value.toJSON(name) : value;
    if (isNumbers(shown)) return listOf(shown, path);
    if (isTensor(shown)) return nested(listOf(tensorData(shown), path), shown.dims);
    const bare: unknown = types.isBoxedPrimitive(shown) ? shown.valueOf() : shown;
    const unfit = describeUnfit(bare);
    if (unfit !== undefined) throw new UnfitValueError(path, unfit);
    return typeof bare === "object" && bare !== null ? this.#copyObject(bare, path) : bare;
  }

  #copyObject(object: object, path: string): unknown {
    const outer = this.#around.get(object);
    if (outer !== undefined)
      throw new UnfitValueError(
        path,
        `a reference back to ${outer === "" ? "the whole value" : outer}`,
      );
    this.#around.set(object, path);
    const copy = Array.isArray(object)
      ? object.map((item, index) => this.#copy(item, `${path}[${index}]`, String(index)))
      : Object.fromEntries(namesOf(object).map((name) => [name, this.#member(object, name, path)]));
    this.#around.delete(object);
    return copy;
  }

  #member(object: object, name: string, outer: string): unknown {
    const path = pathOf(outer, name);
    this.#path = path;
    return this.#copy(Reflect.get(object, name), path, name);
  }
}

/** The numbers of a typed array, or the bytes of a DataView. Safe integers of a BigInt array become numbers. */
function listOf(data: Numbers, path: string): readonly unknown[] {
  const items = data instanceof DataView ? bytesOf(data) : data;
  return Array.from<unknown, unknown>(items, (item, index) => {
    const number = typeof item === "bigint" ? safeNumber(item) : item;
    const unfit = describeUnfit(number);
    if (unfit !== undefined) throw new UnfitValueError(`${path}[${index}]`, unfit);
    return number;
  });
}

function bytesOf({ buffer, byteOffset, byteLength }: DataView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function safeNumber(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** JSON.stringify asks functions and BigInts, too. */
function hasToJson(value: unknown): value is { toJSON(name: string): unknown } {
  const isAsked =
    typeof value === "object" || typeof value === "function" || typeof value === "bigint";
  if (!isAsked || value === null) return false;
  return typeof (value as { readonly toJSON?: unknown }).toJSON === "function";
}

/** An error's own members are not enumerable, and those of a DOMException are inherited. */
function namesOf(object: object): readonly string[] {
  const names = Object.keys(object);
  if (!(object instanceof Error)) return names;
  const told = ["name", "message", "cause", "errors", "error", "suppressed"].filter(
    (name) => name in object,
  );
  return [...new Set([...told, ...names])];
}

function pathOf(outer: string, name: string): string {
  if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name))
    return `${outer}[${JSON.stringify(name)}]`;
  return outer === "" ? name : `${outer}.${name}`;
}
