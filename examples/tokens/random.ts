// Seeded random numbers: the same seed gives the same numbers on every machine.

/** Numbers from 0 (included) to 1 (excluded). */
export type Random = () => number;

/** A 32-bit seed from any string (FNV-1a over its UTF-16 units). */
export function seedFrom(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

/** A generator for a 32-bit seed: a Weyl sequence, with two multiplications that mix the bits of each step. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}
