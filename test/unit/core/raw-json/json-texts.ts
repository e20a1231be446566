/** Arbitrary JSON texts, nearly-JSON texts and chunkings of them, with JSON.parse as the judge. */
import fc from "fast-check";

/** What the platform's own decoder and parser make of `bytes`; throws if they refuse. */
export function platformParse(bytes: Uint8Array): unknown {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const value: unknown = JSON.parse(decoder.decode(bytes));
  return value;
}

export function platformAccepts(bytes: Uint8Array): boolean {
  try {
    platformParse(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Characters of one, two, three and four bytes, those that are escaped, and lone surrogates. */
const unit = fc.oneof(
  fc.constantFrom("a", '"', "\\", "/", "\n", "\u0000", "\u007f", "é", "߿", "€", "￿", "𝄞", "\ud800"),
  fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
);

const text = fc.array(unit, { maxLength: 8 }).map((units) => units.join(""));

/** A string's JSON text in which each character is written plainly or as an escape. */
const stringText = fc.tuple(text, fc.infiniteStream(fc.boolean())).map(([value, escapes]) => {
  let out = "";
  for (let i = 0; i < value.length; i++) {
    const plain = JSON.stringify(value.charAt(i)).slice(1, -1);
    const hex = value.charCodeAt(i).toString(16).padStart(4, "0");
    out += escapes.next().value === true ? `\\u${hex}` : plain;
  }
  return `"${out}"`;
});

const numberText = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.bigInt().map(String),
  fc.constantFrom("0", "-0", "1e400", "-1.50E+2", "0.0e-0", "12345678901234567890.123"),
);

const space = fc.constantFrom("", "", "", " ", "\n", "\t \r\n");

const { value: valueText } = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.constantFrom("true", "false", "null"), numberText, stringText),
    tie("array"),
    tie("object"),
  ),
  array: fc
    .tuple(fc.array(fc.tuple(space, tie("value"), space), { maxLength: 4 }), space)
    .map(([items, inner]) => `[${items.map((item) => item.join("")).join(",") || inner}]`),
  object: objectOf(tie("value")),
}));

function objectOf(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const key = fc.oneof(stringText, fc.constantFrom('"a"', '"b"', '"__proto__"', '"\\u0061"', '""'));
  const member = fc.tuple(space, key, space, fc.constant(":"), space, value, space);
  return fc
    .tuple(fc.array(member, { maxLength: 5 }), space)
    .map(([members, inner]) => `{${members.map((each) => each.join("")).join(",") || inner}}`);
}

function toBytes(json: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  return fc.tuple(space, json, space).map((parts) => Buffer.from(parts.join("")));
}

export const jsonBytes = toBytes(valueText);

/** With duplicate keys, escaped keys and `__proto__` among them. */
export const objectBytes = toBytes(objectOf(valueText));

const tokens = [
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  '"',
  '"a"',
  "\\",
  "u00",
  "1",
  "0",
  "-",
  ".",
  "e",
  "+",
];
const oddBytes = [0x00, 0x1f, 0x20, 0x7f, 0x80, 0xbf, 0xc0, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xff];

const edit = fc.record({
  at: fc.nat(),
  remove: fc.nat({ max: 2 }),
  insert: fc.oneof(
    fc.constantFrom(...tokens, "true", "nul", " ").map((token) => Buffer.from(token)),
    fc.constantFrom(...oddBytes).map((byte) => Buffer.from([byte])),
    fc.constant(Buffer.alloc(0)),
  ),
});

/** JSON with one to three random edits: sometimes still JSON, mostly just not. */
export const damagedBytes = fc
  .tuple(fc.oneof(jsonBytes, objectBytes), fc.array(edit, { minLength: 1, maxLength: 3 }))
  .map(([bytes, edits]) => {
    let damaged = bytes;
    for (const { at, remove, insert } of edits) {
      const start = at % (damaged.length + 1);
      const rest = damaged.subarray(start + remove);
      damaged = Buffer.concat([damaged.subarray(0, start), insert, rest]);
    }
    return damaged;
  });

/** JSON tokens in any order. */
export const tokenSoup = fc
  .array(fc.constantFrom(...tokens, "true", "null", " ", "\n"), { maxLength: 12 })
  .map((parts) => Buffer.from(parts.join("")));

/** Sizes that {@link inChunks} cuts by. */
export const chunkSizes = fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 8 });

/** Cuts `bytes` by `sizes`, repeated; the rest is one chunk when all sizes are 0. */
export function inChunks(bytes: Buffer, sizes: readonly number[]): readonly Buffer[] {
  if (sizes.every((size) => size === 0)) return [Buffer.alloc(0), bytes];
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}
