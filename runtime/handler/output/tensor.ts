/** Recognizes tensors as ONNX Runtime and its relatives make them, and gives their numbers the tensor's shape. */

/** Numbers, or the strings of a tensor of strings. */
export type Numbers = NodeJS.TypedArray | DataView | readonly unknown[];

interface Tensor {
  /** Such as `float32`. */
  readonly type: string;
  /** Length of each dimension, the outermost first. Empty for a single number. */
  readonly dims: readonly number[];
  readonly data: Numbers;
}

/** Whether it has the members of a tensor, and as many numbers as its dimensions say. */
export function isTensor(value: unknown): value is Tensor {
  if (typeof value !== "object" || value === null) return false;
  if (!("dims" in value && "type" in value && "data" in value)) return false;
  const { dims, type, data } = value;
  if (typeof type !== "string" || !Array.isArray(dims) || !hasLength(data)) return false;
  const lengths: readonly unknown[] = dims;
  return lengths.every(isLength) && data.length === lengths.reduce((all, one) => all * one, 1);
}

/** Whether it is a typed array or a DataView. */
export function isNumbers(value: unknown): value is NodeJS.TypedArray | DataView {
  return ArrayBuffer.isView(value);
}

/** The tensor's numbers. Bits of 16-bit floating point numbers in a Uint16Array become numbers. */
export function tensorData({ type, data }: Tensor): Numbers {
  if (type !== "float16" || !(data instanceof Uint16Array)) return data;
  return new Float16Array(data.buffer, data.byteOffset, data.length);
}

/** Arrays in arrays, one level for each dimension. The item itself if there is no dimension. */
export function nested(items: readonly unknown[], [length, ...inner]: readonly number[]): unknown {
  if (length === undefined) return items[0];
  if (inner.length === 0) return items;
  const size = items.length / length;
  return Array.from({ length }, (_, at) => nested(items.slice(at * size, (at + 1) * size), inner));
}

function isLength(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function hasLength(data: unknown): data is Numbers & { readonly length: number } {
  return Array.isArray(data) || (ArrayBuffer.isView(data) && "length" in data);
}
