/** Encodes and decodes protobuf messages from tables of their fields, and derives their types. Any field may be absent. */
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";

/** The type of a field's value. */
export interface Kind<Value> {
  /** Protobuf's wire type: 0 for a number, 2 for bytes after their length. */
  readonly wireType: 0 | 2;
  readonly isList?: boolean;
  write(writer: BinaryWriter, value: Value): void;
  read(reader: BinaryReader): Value;
}

export interface List<Value> extends Kind<Value> {
  readonly isList: true;
}

type Fields = Readonly<Record<string, readonly [number: number, kind: Kind<unknown>]>>;

type ListsOf<Table extends Fields> = {
  [Name in keyof Table]: Table[Name][1] extends List<unknown> ? Name : never;
}[keyof Table];

type ValueOf<Of> = Of extends Kind<infer Value> ? Value : never;

/** Lists are never absent. */
type Decoded<Table extends Fields> = {
  [Name in ListsOf<Table>]: ValueOf<Table[Name][1]>[];
} & { [Name in Exclude<keyof Table, ListsOf<Table>>]?: ValueOf<Table[Name][1]> | undefined };

export interface MessageType<Table extends Fields> extends Kind<Decoded<Table>> {
  readonly fields: Table;
  encode(values: Decoded<Table>): Uint8Array;
  /** @throws Error for bytes that are not a message */
  decode(bytes: Uint8Array): Decoded<Table>;
}

/** The messages of a type. */
export type MessageOf<Type> = Type extends MessageType<infer Table> ? Decoded<Table> : never;

export const text: Kind<string> = {
  wireType: 2,
  write: (writer, value) => writer.string(value),
  read: (reader) => reader.string(),
};

export const bytes: Kind<Uint8Array> = {
  wireType: 2,
  write: (writer, value) => writer.bytes(value),
  read: (reader) => reader.bytes(),
};

export const flag: Kind<boolean> = {
  wireType: 0,
  write: (writer, value) => writer.bool(value),
  read: (reader) => reader.bool(),
};

export const uint32: Kind<number> = {
  wireType: 0,
  write: (writer, value) => writer.uint32(value),
  read: (reader) => reader.uint32(),
};

export const int32: Kind<number> = {
  wireType: 0,
  write: (writer, value) => writer.int32(value),
  read: (reader) => reader.int32(),
};

export const uint64: Kind<number> = {
  wireType: 0,
  write: (writer, value) => writer.uint64(value),
  read(reader) {
    const value = Number(reader.uint64());
    if (!Number.isSafeInteger(value)) throw new RangeError("the number is too large");
    return value;
  },
};

export function list<Value>(kind: Kind<Value>): List<Value> {
  return { ...kind, isList: true };
}

/** Bytes that a writer may keep for the next message. */
const KEPT_BYTES = 65_536;

let writer = new BinaryWriter();

/** The bytes that `write` writes. The next call uses the same memory, so `write` must not call this. */
export function written(write: (to: BinaryWriter) => void): Uint8Array {
  try {
    write(writer);
    const bytesOf = writer.finish();
    if (bytesOf.byteLength > KEPT_BYTES) writer = new BinaryWriter();
    return bytesOf;
  } catch (error) {
    writer = new BinaryWriter();
    throw error;
  }
}

export function message<const Table extends Fields>(fields: Table): MessageType<Table> {
  const rows = Object.entries(fields).map(([name, [number, kind]]) => {
    return { name, kind, tag: (number << 3) | kind.wireType, isList: kind.isList === true };
  });
  const absent = Object.fromEntries(rows.map(({ name }) => [name, undefined]));
  const lists = rows.filter(({ isList }) => isList).map(({ name }) => name);
  const byTag: (typeof rows)[number][] = [];
  for (const row of rows) byTag[row.tag] = row;
  const write = (to: BinaryWriter, values: Readonly<Record<string, unknown>>) => {
    for (const { name, kind, tag, isList } of rows) {
      const value = values[name];
      if (value === undefined) continue;
      if (!isList) kind.write(to.uint32(tag), value);
      else if (Array.isArray(value)) for (const each of value) kind.write(to.uint32(tag), each);
    }
  };
  const read = (reader: BinaryReader, end: number) => {
    const values: Record<string, unknown> = { ...absent };
    for (const name of lists) values[name] = [];
    while (reader.pos < end) {
      const { pos } = reader;
      const row = byTag[reader.uint32()];
      if (row === undefined) {
        // A field of a later version.
        reader.pos = pos;
        const [number, wireType] = reader.tag();
        reader.skip(wireType, number);
      } else if (row.isList) (values[row.name] as unknown[]).push(row.kind.read(reader));
      else values[row.name] = row.kind.read(reader);
    }
    // The table has the types.
    return values as Decoded<Table>;
  };
  return {
    fields,
    wireType: 2,
    encode: (values) => written((to) => write(to, values)),
    decode: (input) => read(new BinaryReader(input), input.byteLength),
    write: (to, values) => {
      write(to.fork(), values);
      to.join();
    },
    read: (reader) => {
      const length = reader.uint32();
      return read(reader, reader.pos + length);
    },
  };
}
