/**
 * Finds the line and column of a key in the text of a config: in JSON always, in TypeScript and JavaScript where it is
 * written as an object literal.
 */

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
  readonly keyAt: number;
  readonly valueAt: number;
}

const EVERY_CONFIG_HAS = "endpoints";

/** What stands before an object literal that can be a whole config, and how far before at most. */
const OPENS_LITERAL = /(?:^|[(=]|\b(?:return|default))\s*$/u;
const LOOK_BACK = 100;
/** A text that is a value and nothing else: JSON. */
const WHOLE = /^\s*[{["\d]/u;
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$]*/uy;
const SPACE = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/uy;
const STRING = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|`(?:[^`\\]|\\[\s\S])*`/uy;
const SPREAD = /\.\.\./y;

/**
 * The place of the value under `path`, or of its key. Where the end of the path is written elsewhere or computed, that of
 * the last part that is here. Of JSON that has nothing of it the beginning, else undefined.
 */
export function placeIn(
  text: string,
  path: readonly PropertyKey[],
  at: "key" | "value" = "value",
): Place | undefined {
  const trails = rootsOf(text).map((root) => new Follower(text).follow(root, path.map(String)));
  const best = trails.reduce<Trail | undefined>(
    (one, other) => (other.depth > (one?.depth ?? 0) ? other : one),
    undefined,
  );
  if (best !== undefined) return lineAndColumn(text, at === "key" ? best.keyAt : best.valueAt);
  return WHOLE.test(text) ? lineAndColumn(text, text.search(/\S/u)) : undefined;
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
function rootsOf(text: string): readonly number[] {
  const roots = [...text.matchAll(/\{/gu)]
    .map(({ index }) => index)
    .filter((at) => OPENS_LITERAL.test(text.slice(Math.max(0, at - LOOK_BACK), at)));
  const whole = roots.filter(
    (root) => new Follower(text).follow(root, [EVERY_CONFIG_HAS]).depth > 0,
  );
  return whole.length > 0 ? whole : roots;
}

/** Goes down one path of nested object and array literals, and past everything else. */
class Follower {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  follow(start: number, path: readonly string[]): Trail {
    let trail: Trail = { depth: 0, keyAt: start, valueAt: start };
    for (const key of path) {
      const bracket = this.#text[trail.valueAt];
      this.#at = trail.valueAt + 1;
      let next: Pick<Trail, "keyAt" | "valueAt"> | undefined;
      if (bracket === "{") next = this.#memberOf(key);
      else if (bracket === "[") next = this.#itemOf(Number(key));
      if (next === undefined) return trail;
      trail = { depth: trail.depth + 1, ...next };
    }
    return trail;
  }

  /** The last member of that name counts, as in the value. */
  #memberOf(wanted: string): Pick<Trail, "keyAt" | "valueAt"> | undefined {
    let found: Pick<Trail, "keyAt" | "valueAt"> | undefined;
    for (;;) {
      this.#skipSpace();
      const keyAt = this.#at;
      const key = this.#readKey();
      if (key === wanted) {
        this.#skipSpace();
        const isPair = this.#text[this.#at] === ":";
        if (isPair) this.#at += 1;
        this.#skipSpace();
        found = { keyAt, valueAt: isPair ? this.#at : keyAt };
      }
      if (!this.#skipPastComma()) return found;
    }
  }

  #itemOf(index: number): Pick<Trail, "keyAt" | "valueAt"> | undefined {
    for (let item = 0; ; item += 1) {
      this.#skipSpace();
      if (item === index) return { keyAt: this.#at, valueAt: this.#at };
      if (!this.#skipPastComma()) return undefined;
    }
  }

  #readKey(): string | undefined {
    const quoted = this.#take(STRING);
    if (quoted !== undefined) return unquoted(quoted);
    return this.#take(SPREAD) === undefined ? this.#take(NAME) : undefined;
  }

  /** To the next member or item; false where there is none. */
  #skipPastComma(): boolean {
    let open = 0;
    while (this.#at < this.#text.length) {
      this.#skipSpace();
      if (this.#take(STRING) !== undefined) continue;
      const character = this.#text[this.#at] ?? "";
      if ("}])".includes(character) && open === 0) return false;
      this.#at += 1;
      if (character === "," && open === 0) return true;
      if ("{[(".includes(character)) open += 1;
      if ("}])".includes(character)) open -= 1;
    }
    return false;
  }

  #skipSpace(): void {
    this.#take(SPACE);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#text)?.[0];
    this.#at += taken?.length ?? 0;
    return taken;
  }
}

function unquoted(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return String(value);
  } catch {
    return text.slice(1, -1);
  }
}
