/** Arbitrary JSON texts, nearly-JSON texts and chunkings of them, with JSON.parse as the judge. */
import fc from "fast-check";
import { anyCharacter } from "../../../../any-character.ts";

/** True if the platform's own decoder and parser accept `bytes`. */
export function platformAccepts(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

/** Characters of one, two, three and four bytes, escaped ones, and lone surrogates. */
const unit = fc.oneof(
  fc.constantFrom("a", " ", "{", "]", ":", ",", '"', "\\", "/", "\n", "\u0000", "\u007f"),
  fc.constantFrom("é", "߿", "€", "\u2028", "￿", "𝄞", "\ud800", "\udbff", "\udc00"),
  anyCharacter,
);

/** JSON text of a string with each character written plainly or as escapes. */
const stringText = fc.array(fc.tuple(unit, fc.boolean()), { maxLength: 8 }).map((units) => {
  const written = units.map(([value, escaped]) =>
    escaped ? escapesOf(value) : JSON.stringify(value).slice(1, -1),
  );
  return `"${written.join("")}"`;
});

function escapesOf(value: string): string {
  const units = Array.from({ length: value.length }, (_, at) => value.charCodeAt(at));
  return units.map((code) => `\\u${code.toString(16).padStart(4, "0")}`).join("");
}

const numberText = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.bigInt().map(String),
  fc.constantFrom("0", "-0", "1e400", "-1.50E+2", "0.0e-0", "12345678901234567890.123"),
);

const space = fc.constantFrom("", "", "", " ", "\n", "\t \r\n");

/** Keys with duplicates, escaped ones and `__proto__` among them. */
const keyText = fc.oneof(
  stringText,
  fc.constantFrom('"a"', '"b"', '"__proto__"', '"\\u0061"', '""'),
);

interface MemberText {
  readonly text: string;
  readonly key: string;
  readonly value: string;
}

function memberText(value: fc.Arbitrary<string>): fc.Arbitrary<MemberText> {
  return fc
    .tuple(space, keyText, space, space, value, space)
    .map(([a, key, b, c, raw, d]) => ({ text: `${a}${key}${b}:${c}${raw}${d}`, key, value: raw }));
}

function objectText(members: readonly MemberText[], inner: string): string {
  return `{${members.map(({ text }) => text).join(",") || inner}}`;
}

const valueText = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.constantFrom("true", "false", "null"), numberText, stringText),
    tie("array"),
    tie("object"),
  ),
  array: fc
    .tuple(fc.array(fc.tuple(space, tie("value"), space), { maxLength: 4 }), space)
    .map(([items, inner]) => `[${items.map((item) => item.join("")).join(",") || inner}]`),
  object: fc
    .tuple(fc.array(memberText(tie("value")), { maxLength: 4 }), space)
    .map(([members, inner]) => objectText(members, inner)),
})).value;

export const jsonText = fc.tuple(space, valueText, space).map((parts) => parts.join(""));

/** An object's text, and the raw text of the last value of each of its keys. */
export const knownObjects = fc
  .tuple(space, fc.array(memberText(valueText), { maxLength: 6 }), space)
  .map(([before, parts, after]) => ({
    bytes: Buffer.from(`${before}${objectText(parts, before)}${after}`),
    rawValues: new Map(parts.map((part) => [String(JSON.parse(part.key)), part.value])),
  }));

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

/** JSON with one to three random edits: sometimes still JSON, mostly nearly. */
export const damagedBytes = fc
  .tuple(jsonText, fc.array(edit, { minLength: 1, maxLength: 3 }))
  .map(([text, edits]) =>
    edits.reduce((bytes, { at, remove, insert }) => {
      const start = at % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, start), insert, bytes.subarray(start + remove)]);
    }, Buffer.from(text)),
  );

/** JSON tokens in any order. */
export const tokenSoup = fc
  .array(fc.constantFrom(...tokens, "true", "null", " ", "\n"), { maxLength: 12 })
  .map((parts) => parts.join(""));

/** Sizes of the pieces of {@link inChunks}. */
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
