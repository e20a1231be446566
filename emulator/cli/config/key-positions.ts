/**
 * Finds the line and column of a key in the text of a config: in JSON always, in TypeScript and JavaScript where it is
 * written as an object literal.
 */
import { TOKEN } from "../../core/jobs/raw-json/tokens.ts";

/** Both counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface PlacedText {
  /** The file as messages name it. */
  readonly shown: string;
  readonly text: string;
}

/** How far a path could be followed in a text. */
interface Trail {
  /** Keys of the path that were found. */
  readonly depth: number;
  /** Indexes of the tokens with which the last one and its value begin. */
  readonly key: number;
  readonly value: number;
}

interface Token {
  readonly text: string;
  readonly at: number;
}

const EVERY_CONFIG_HAS = "endpoints";

const COMMENT = /^\/[/*]/u;
/** The token before an object literal that can be a whole config; none is before JSON. */
const BEFORE_CONFIG = /^$|[(=]$|^(?:return|default)$/u;
/** The first token of a text that is a value and nothing else: JSON. */
const FIRST_OF_JSON = /^[{["\d]/u;

/**
 * The place of the value under `path`, or of its key. Where the end of the path is written elsewhere or computed, the place of
 * the last part that is here. Where nothing of the path is here: the beginning of JSON, else undefined.
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

/** The file with line and column of what is under `path`, as far as that is written there. */
export function fileAt(
  { shown, text }: PlacedText,
  path: readonly PropertyKey[],
  at?: "key",
): string {
  const place = placeIn(text, path, at);
  return place === undefined ? shown : `${shown}:${place.line}:${place.column}`;
}

/** The place of a character. */
export function lineAndColumn(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

/** Where object literals begin that can be a whole config: those that have the key every config has, if there are any. */
function rootsOf(tokens: readonly Token[]): readonly number[] {
  const roots = [...tokens.keys()].filter(
    (at) => tokens[at]?.text === "{" && BEFORE_CONFIG.test(tokens[at - 1]?.text ?? ""),
  );
  const whole = roots.filter((root) => follow(tokens, root, [EVERY_CONFIG_HAS]).depth > 0);
  return whole.length > 0 ? whole : roots;
}

/** Goes down one path of nested object and array literals, and past everything else. */
function follow(tokens: readonly Token[], root: number, path: readonly string[]): Trail {
  let trail: Trail = { depth: 0, key: root, value: root };
  for (const key of path) {
    const next = childOf(tokens, trail.value, key);
    if (next === undefined) break;
    trail = { depth: trail.depth + 1, ...next };
  }
  return trail;
}

/** A member or an item of the literal that begins at `open`; of members of one name the last, as in the value. */
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

/** The name that a key stands for, with or without quotes. */
function nameOf(key: string): string {
  if (!/^["'`]/u.test(key)) return key;
  try {
    return String(JSON.parse(key));
  } catch {
    return key.slice(1, -1);
  }
}
