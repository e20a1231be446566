/** Characters for random texts, any of Unicode. */
import fc from "fast-check";

const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * As fast-check's own unit `binary`, which for its words of ill fame (`__proto__`) makes a table of all characters: more than a
 * second of each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10_ffff - SURROGATES.count })
  .map(characterAt, placeOf);

function characterAt(place: number): string {
  return String.fromCodePoint(place < SURROGATES.first ? place : place + SURROGATES.count);
}

function placeOf(text: unknown): number {
  const point = typeof text === "string" ? text.codePointAt(0) : undefined;
  if (point === undefined || text !== String.fromCodePoint(point) || isSurrogate(point))
    throw new Error("it is no single character");
  return point < SURROGATES.first ? point : point - SURROGATES.count;
}

function isSurrogate(point: number): boolean {
  return point >= SURROGATES.first && point < SURROGATES.first + SURROGATES.count;
}
