/** Finds an input that a handler takes, as its README shows it: the starters' and the examples' do. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LocalHandler } from "../../index.ts";

/** The longest that is worth pasting. */
const MOST_CHARACTERS = 500;

/** The JSON of the first `'{"input":…}'` in the README.md beside a handler's file; undefined where none is shown. */
export function exampleInput(handlerPath: string): string | undefined {
  try {
    return inputIn(readFileSync(join(dirname(handlerPath), "README.md"), "utf8"));
  } catch {
    return undefined;
  }
}

/** By endpoint id, of those that have one. */
export function exampleInputsOf(handlers: readonly LocalHandler[]): ReadonlyMap<string, string> {
  const entries = handlers.map(({ id, path }) => [id, exampleInput(path)] as const);
  return new Map(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function inputIn(readme: string): string | undefined {
  const shown = readme.matchAll(/'(\{"input":\{[^'\n]*\}\})'/g);
  return [...shown].map(([, json = ""]) => json).find(isPastable);
}

function isPastable(json: string): boolean {
  if (json.length > MOST_CHARACTERS) return false;
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
