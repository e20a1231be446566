/** Arbitrary JSON texts, nearly-JSON texts and chunkings of them, with JSON.parse as the judge. */
import fc from "fast-check";
import { anyCharacter } from "../../../../any-character.ts";

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
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
);

/** A string's JSON text in which each character is written plainly or as escapes. */
const stringText = fc.array(fc.tuple(unit, fc.boolean()), { maxLength: 8 }).map((units) => {
  const written = units.map(([value, escaped]) =>
    escaped ? escapesOf(value) : JSON.stringify(value).slice(1, -1),
  );
  return `"${written.join("")}"`;
});

function escapesOf(value: string): string {
  let escapes = "";
  for (let i = 0; i < value.length; i++) {
    escapes += `\\u${value.charCodeAt(i).toString(16).padStart(4, "0")}`;
  }
  return escapes;
}

const numberText = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.bigInt().map(String),
  fc.constantFrom("0", "-0", "1e400", "-1.50E+2", "0.0e-0", "12345678901234567890.123"),
);

const space = fc.constantFrom("", "", "", " ", "\n", "\t \r\n");

const keyText = fc.oneof(
  stringText,
  fc.constantFrom('"a"', '"b"', '"__proto__"', '"\\u0061"', '""'),
);

/**
 * V8 misreads escaped keys: once it has seen an object with the key "\\", JSON.parse takes other keys that begin with
 * an escape for it (nodejs/node#63785). Where JSON.parse is asked for values, keys have no escapes.
 */
const unescapedKeyText = keyText.filter((key) => !key.includes("\\"));

function valueText(key: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
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
      .tuple(fc.array(memberText(key, tie("value")), { maxLength: 4 }), space)
      .map(([members, inner]) => objectText(members, inner)),
  })).value;
}

interface MemberText {
  readonly text: string;
  readonly key: string;
  readonly value: string;
}

function memberText(
  key: fc.Arbitrary<string>,
  value: fc.Arbitrary<string>,
): fc.Arbitrary<MemberText> {
  return fc.tuple(space, key, space, space, value, space).map(([a, rawKey, b, c, rawValue, d]) => ({
    text: `${a}${rawKey}${b}:${c}${rawValue}${d}`,
    key: rawKey,
    value: rawValue,
  }));
}

function objectText(members: readonly MemberText[], inner: string): string {
  return `{${members.map(({ text }) => text).join(",") || inner}}`;
}

export const jsonBytes = fc
  .tuple(space, valueText(keyText), space)
  .map((parts) => Buffer.from(parts.join("")));

/** An object's text, and the raw text of the last value of each of its keys. */
export interface KnownObject {
  readonly bytes: Buffer;
  readonly rawValues: ReadonlyMap<string, string>;
}

function knownObject(key: fc.Arbitrary<string>): fc.Arbitrary<KnownObject> {
  const members = fc.array(memberText(key, valueText(key)), { maxLength: 6 });
  return fc.tuple(space, members, space).map(([before, parts, after]) => ({
    bytes: Buffer.from(`${before}${objectText(parts, before)}${after}`),
    rawValues: new Map(parts.map((part) => [String(JSON.parse(part.key)), part.value])),
  }));
}

/** With duplicate keys, escaped keys and `__proto__` among them. */
export const knownObjects = knownObject(keyText);

/** The same without escaped keys. */
export const knownObjectsWithPlainKeys = knownObject(unescapedKeyText);

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
  .tuple(jsonBytes, fc.array(edit, { minLength: 1, maxLength: 3 }))
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
