/** JSON values full of what splitters get wrong, and an oracle for which of them can be split at a limit. */
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { anyCharacter } from "../../../any-character.ts";
import type { JsonPart } from "../../../../runtime/core/split-text.ts";
import { joinParts } from "./split-json.ts";

const character = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "Z", " ", "/", ":", ",", "[", "]", "{", "}") },
  { weight: 3, arbitrary: fc.constantFrom('"', "\\", "\n", "\u0000", "\u001f", "\u007f") },
  { weight: 3, arbitrary: fc.constantFrom("é", "ß", "€", "\u2028", "\uffff", "😀", "𝒳") },
  { weight: 1, arbitrary: fc.constantFrom("\ud800", "\udbff", "\udc00", "\udfff") },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }) },
);
const text = fc
  .oneof(fc.array(character, { maxLength: 6 }), fc.array(character, { maxLength: 120 }))
  .map((characters) => characters.join(""));
const anyKey = fc.oneof(
  { weight: 3, arbitrary: fc.array(character, { maxLength: 5 }).map((parts) => parts.join("")) },
  { weight: 2, arbitrary: fc.nat({ max: 30 }).map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "__proto__",
      "constructor",
      "toString",
      "length",
      "-1",
      "01",
      "4294967295",
    ),
  },
);
/**
 * No backslash in keys: on the V8 of Node 24, once an object with such a key exists, JSON.parse may read the escape that
 * begins another key as that backslash (nodejs/node#63785). split.test.ts has an example with one instead.
 */
const key = anyKey.filter((name) => !name.includes("\\"));
const scalar = fc.oneof(
  fc.constantFrom(null, true, false, 0, -0, 1e21, 5e-324, -1.5, Number.MAX_SAFE_INTEGER),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  text,
);

function object(entries: readonly (readonly [string, unknown])[]): unknown {
  const made: Record<string, unknown> = {};
  for (const [name, value] of entries) {
    Object.defineProperty(made, name, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return made;
}

/** Any JSON value, with odd keys, lone surrogates, empty containers and strings of every length. */
export const trickyJson: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 12 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 8 }).map(object),
  ),
})).value;

/** The largest thing that a cut must leave whole: a surrogate pair written as two escapes. */
const MAX_UNIT_BYTES = 12;

/** True when each scalar of `value`, with the keys and brackets that lead to it, leaves the room the splitter asks for. */
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

/** Joins parts as a reader gets them: each parsed by itself. */
export function joined(parts: readonly JsonPart[]): unknown {
  return joinParts(
    parts.map(({ json, continues }) => ({ output: JSON.parse(json) as unknown, continues })),
  );
}

/** The own keys of every object in `value`, in order, `__proto__` included. */
export function ownKeysInOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ownKeysInOrder);
  if (typeof value !== "object" || value === null) return null;
  return Object.entries(value).map(([name, item]) => [name, ownKeysInOrder(item)]);
}
