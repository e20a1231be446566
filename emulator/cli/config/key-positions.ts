/**
 * Finds the line and column of a key in the text of a config. In TypeScript and JavaScript it finds keys of object literals only.
 */
import { TOKEN } from "../../core/jobs/raw-json/tokens.ts";

/** Line and column, both counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface PlacedText {
  /** The file as messages name it. */
  readonly shown: string;
  readonly text: string;
}

/** The part of a path that was found in a text. */
interface Trail {
  readonly depth: number;
  /** Indexes of the first tokens of the last key and of its value. */
  readonly key: number;
  readonly value: number;
}

interface Token {
  readonly text: string;
  readonly at: number;
}

const EVERY_CONFIG_HAS = "endpoints";

const COMMENT = /^\/[/*]/u;
/** The token before an object literal that can be a whole config. JSON has none. */
const BEFORE_CONFIG = /^$|[(=]$|^(?:return|default)$/u;
/** The first token of JSON. */
const FIRST_OF_JSON = /^[{["\d]/u;

/**
 * The place of the value at `path`, or of its key. If the end of the path is computed or in another file, the place of the last part
 * that is found. If no part is found: the beginning of JSON, else undefined.
 */
export function placeIn(
  text: string,
  path: readonly PropertyKey[],
  at: "key" | "value" = "value",
): Place | undefined {
  const tokens = Array.from(text.matchAll(TOKEN), ({ 0: token, index }) => ({
    text: token,
    at: index,
  })).filter(({ text: token }) => !COMMENT.test(token));
  let best: Trail | undefined;
  for (const root of rootsOf(tokens)) {
    const trail = follow(tokens, root, path.map(String));
    if (trail.depth > (best?.depth ?? 0)) best = trail;
  }
  if (best === undefined && !FIRST_OF_JSON.test(tokens[0]?.text ?? "")) return undefined;
  return lineAndColumn(text, tokens[best?.[at] ?? 0]?.at ?? text.length);
}

/** The file with the line and column of the value at `path`, if they are found. */
export function fileAt(
  { shown, text }: PlacedText,
  path: readonly PropertyKey[],
  at?: "key",
): string {
  const place = placeIn(text, path, at);
  return place === undefined ? shown : `${shown}:${place.line}:${place.column}`;
}

export function lineAndColumn(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

/** Object literals that can be a whole config. If some have the key that every config has, only these. */
function rootsOf(tokens: readonly Token[]): readonly number[] {
  const roots = [...tokens.keys()].filter(
    (at) => tokens[at]?.text === "{" && BEFORE_CONFIG.test(tokens[at - 1]?.text ?? ""),
  );
  const whole = roots.filter((root) => follow(tokens, root, [EVERY_CONFIG_HAS]).depth > 0);
  return whole.length > 0 ? whole : roots;
}

/** Follows a path through nested object and array literals. */
function follow(tokens: readonly Token[], root: number, path: readonly string[]): Trail {
  let trail: Trail = { depth: 0, key: root, value: root };
  for (const key of path) {
    const next = childOf(tokens, trail.value, key);
    if (next === undefined) break;
    trail = { depth: trail.depth + 1, ...next };
  }
  return trail;
}

/** A member or an item of the literal that begins at `open`. The last of several members with one name counts. */
function childOf(
  tokens: readonly Token[],
  open: number,
  wanted: string,
): Pick<Trail, "key" | "value"> | undefined {
  const isObject = tokens[open]?.text === "{";
  if (!isObject && tokens[open]?.text !== "[") return undefined;
  let found: Pick<Trail, "key" | "value"> | undefined;
  let depth = 0;
  let index = 0;
  for (let at = open + 1; at < tokens.length && depth >= 0; at += 1) {
    const text = tokens[at]?.text ?? "";
    const isFirst = depth === 0 && (at === open + 1 || tokens[at - 1]?.text === ",");
    if (isFirst && wanted === (isObject ? nameOf(text) : String(index++))) {
      const isPair = isObject && tokens[at + 1]?.text === ":";
      found = { key: at, value: isPair ? at + 2 : at };
    }
    if ("{[(".includes(text)) depth += 1;
    if ("}])".includes(text)) depth -= 1;
  }
  return found;
}

/** The name of a key, written with or without quotes. */
function nameOf(key: string): string {
  if (!/^["'`]/u.test(key)) return key;
  try {
    return String(JSON.parse(key));
  } catch {
    return key.slice(1, -1);
  }
}
