/** Checks the rules of the tree with planted texts, and with all files. */
import { expect } from "vitest";
import { parse, type Source } from "./source.ts";
import type { TextFile } from "./tree.ts";

interface Planted {
  readonly at: string;
  readonly caught?: readonly string[];
  readonly allowed?: readonly string[];
}

/** Each text of `caught` must be an offence at that path, none of `allowed` may be. */
export function expectCaught(check: (source: Source) => string[], cases: readonly Planted[]): void {
  for (const { at, caught = [], allowed = [] } of cases) {
    for (const text of caught) {
      expect.soft(check(parse(at, text)), `${at}: ${text}`).not.toEqual([]);
    }
    for (const text of allowed) {
      expect.soft(check(parse(at, text)), `${at}: ${text}`).toEqual([]);
    }
  }
}

export function offences<F extends TextFile>(
  among: readonly F[],
  check: (file: F) => string[],
): string[] {
  return among.flatMap((file) => check(file));
}
