/** JSON values with hard cases for splitters, and an oracle that knows which values can be split at a limit. */
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { anyCharacter } from "../../../any-character.ts";
import { Joiner, type ParsedPart } from "../../../../runtime/core/join.ts";
import { type JsonPart, splitJsonText } from "../../../../runtime/core/split-text.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";

const character = fc.oneof(
  fc.constantFrom("a", " ", ":", ",", "[", "}", '"', "\\", "\n", "\u0000", "\u007f"),
  fc.constantFrom("é", "€", "\u2028", "\uffff", "😀", "\ud800", "\udbff", "\udc00", "\udfff"),
  anyCharacter,
);
const textOf = (maxLength: number) =>
  fc.array(character, { maxLength }).map((characters) => characters.join(""));
const text = fc.oneof(textOf(6), textOf(120));
/**
 * Keys have no backslash: on the V8 of Node 24, once an object with such a key exists, JSON.parse may read the
 * escape at the start of another key as that backslash (nodejs/node#63785). split.test.ts has an example with one
 * instead.
 */
const key = fc
  .oneof(
    textOf(5),
    fc.nat({ max: 30 }).map(String),
    fc.constantFrom("__proto__", "constructor", "toString", "length", "-1", "01", "4294967295"),
  )
  .filter((name) => !name.includes("\\"));
const scalar = fc.oneof(
  fc.constantFrom(null, true, false, 0, -0, 1e21, 5e-324, -1.5, Number.MAX_SAFE_INTEGER),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  text,
);

/** Any JSON value, with odd keys, lone surrogates, empty containers and strings of every length. */
export const trickyJson: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 12 }),
    // Unlike an assignment, this makes `__proto__` an ordinary key.
    fc.array(fc.tuple(key, tie("value")), { maxLength: 8 }).map(Object.fromEntries),
  ),
})).value;

/** The largest unit that a cut must leave whole: a surrogate pair written as two escapes. */
const MAX_UNIT_BYTES = 12;

/** True if each scalar of `value`, with the keys and brackets around it, leaves the room that the splitter needs. */
export function splittableAt(value: unknown, maxBytes: number): boolean {
  const room = Math.max(Math.floor(maxBytes / 16), 1);
  const fits = (pathBytes: number, depth: number, bytes: number): boolean =>
    pathBytes + depth + bytes <= maxBytes && pathBytes + depth + 2 <= maxBytes - room;
  const walk = (at: unknown, pathBytes: number, depth: number): boolean => {
    if (Array.isArray(at) && at.length > 0) {
      return at.every((item) => walk(item, pathBytes + 1, depth + 1));
    }
    if (typeof at === "object" && at !== null && Object.keys(at).length > 0) {
      return Object.entries(at).every(([name, item]) =>
        walk(item, pathBytes + Buffer.byteLength(JSON.stringify(name)) + 2, depth + 1),
      );
    }
    const bytes = Buffer.byteLength(JSON.stringify(at));
    return fits(
      pathBytes,
      depth,
      typeof at === "string" ? Math.min(bytes, 2 + MAX_UNIT_BYTES) : bytes,
    );
  };
  return walk(value, 0, 0);
}

/** Joins parts like a reader, which parses each by itself. */
export function joined(parts: readonly JsonPart[]): unknown {
  return joinParts(
    parts.map(({ json, continues }) => ({ output: JSON.parse(json) as unknown, continues })),
  );
}

/**
 * Splits a value like a handler's yield.
 * @throws NotSplittableError
 */
export function splitJson(
  value: unknown,
  maxBytes: number = LIMITS.chunkMaxBytes,
): readonly JsonPart[] {
  return splitJsonText(Buffer.from(JSON.stringify(value)), maxBytes);
}

/**
 * Joins parts like a reader.
 * @throws JoinError
 */
export function joinParts(parts: Iterable<ParsedPart>): unknown {
  const joiner = new Joiner();
  for (const part of parts) joiner.add(part);
  return joiner.value();
}
