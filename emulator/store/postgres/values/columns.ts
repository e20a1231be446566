/** Sends the values of many rows, and reads the values of one row. */
import { Buffer } from "node:buffer";
import type { SQLOutputValue } from "node:sqlite";
import type { Row } from "../../../sqlite/row.ts";
import type { ColumnKind as Kind, Columns } from "../../rows/columns.ts";
import { bytesToText, textToBytes } from "./stored-text.ts";

/** A value as `TYPE_PARSERS` reads it. */
export type Cell = number | string | Buffer<ArrayBuffer> | null;

/** A value that is sent to the database. */
export type Sent = number | bigint | string | Uint8Array | null;

/** PostgreSQL types of an array of such values, and of an element. */
const TYPES: Readonly<Record<Kind, { readonly array: string; readonly element: number }>> = {
  integer: { array: "bigint[]", element: 20 },
  text: { array: "bytea[]", element: 17 },
  json: { array: "text[]", element: 25 },
  bytes: { array: "bytea[]", element: 17 },
};

const HEAD_BYTES = 20;
const LENGTH_BYTES = 4;
const INTEGER_BYTES = 8;
const TWO_TO_32 = 2 ** 32;

/** `unnest($1::…, $2::…)`: a row for each index of the parameters of `arraysOf`, from the parameter `first` on. */
export function unnested(columns: Columns, first = 1): string {
  const parameters = Object.values(columns).map(
    (kind, at) => `$${first + at}::${TYPES[kind].array}`,
  );
  return `unnest(${parameters.join(", ")})`;
}

/** One parameter for each column, with its values of all rows. Values are in the order of the columns. */
export function arraysOf(columns: Columns, rows: readonly (readonly Sent[])[]): Buffer[] {
  return Object.values(columns).map((kind, at) => arrayOf(kind, rows, at));
}

export function listOf(kind: Kind, values: readonly Sent[]): Buffer {
  return arrayOf(
    kind,
    values.map((value) => [value]),
    0,
  );
}

/** Encodes an array in binary form, which needs no quoting and no digits. */
function arrayOf(kind: Kind, rows: readonly (readonly Sent[])[], column: number): Buffer {
  const values = rows.map((row) => toSent(kind, row[column] ?? null));
  const sizeBytes = values.reduce(
    (sum: number, value) =>
      sum +
      LENGTH_BYTES +
      (value === null ? 0 : typeof value === "number" ? INTEGER_BYTES : value.byteLength),
    HEAD_BYTES,
  );
  const array = Buffer.allocUnsafe(sizeBytes);
  // Number of dimensions, whether there may be nulls, type, length, first index.
  const head = [rows.length === 0 ? 0 : 1, 1, TYPES[kind].element, rows.length, 1];
  let at = 0;
  for (const number of head) at = array.writeInt32BE(number, at);
  for (const value of values) {
    if (value === null) {
      at = array.writeInt32BE(-1, at);
    } else if (typeof value === "number") {
      at = array.writeInt32BE(INTEGER_BYTES, at);
      const high = Math.floor(value / TWO_TO_32);
      at = array.writeInt32BE(high, at);
      at = array.writeUInt32BE(value - high * TWO_TO_32, at);
    } else {
      at = array.writeInt32BE(value.byteLength, at);
      array.set(value, at);
      at += value.byteLength;
    }
  }
  return rows.length === 0 ? array.subarray(0, HEAD_BYTES - 8) : array;
}

function toSent(kind: Kind, value: Sent): number | Uint8Array | null {
  if (value === null || value instanceof Uint8Array) return value;
  if (kind === "integer") return Number(value);
  return kind === "json" ? Buffer.from(String(value)) : textToBytes(String(value));
}

/** A parameter with a whole number, within the range of the database. */
export function bound(number: number): string {
  const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number;
  return String(Math.floor(Math.min(MAX_SAFE_INTEGER, Math.max(MIN_SAFE_INTEGER, number))));
}

/** Reads rows with these columns, in their order. Further columns stay as they are. */
export function rowReader(columns: Columns): (answered: Cell[]) => Row {
  const texts = Object.values(columns).flatMap((kind, at) => (kind === "text" ? [at] : []));
  return (answered) => {
    const row: SQLOutputValue[] = answered;
    for (const at of texts) {
      const value = row[at];
      if (value instanceof Buffer) row[at] = bytesToText(value);
    }
    return row;
  };
}

const INTEGERS = new Set([20, 21, 23]);
const BYTES = 17;

/** Makes `pg` read integers as numbers, bytes as buffers, and all other values as text. */
export const TYPE_PARSERS = {
  getTypeParser(type: number) {
    if (INTEGERS.has(type)) return Number;
    if (type === BYTES) return (hex: string) => Buffer.from(hex.slice(2), "hex");
    return (text: string) => text;
  },
};
