/**
 * Reads JSON into a tree that keeps every number as it was written: `1.0`, `9007199254740993` and `1e400` are not what
 * `JSON.parse` makes of them.
 */

export type RawNode =
  | { readonly kind: "object"; readonly entries: readonly (readonly [string, RawNode])[] }
  | { readonly kind: "array"; readonly items: readonly RawNode[] }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "literal"; readonly text: "true" | "false" | "null" };

/** The tree of a text, or undefined where that is no JSON. */
export function readRawJson(text: string): RawNode | undefined {
  try {
    return new Reader(text).whole();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The JSON of a tree, as it was written, on lines of their own where `indent` is given. */
export function writeRawJson(node: RawNode, indent = 0, depth = 0): string {
  switch (node.kind) {
    case "number":
    case "literal":
      return node.text;
    case "string":
      return JSON.stringify(node.value);
    case "array":
      return enclosed(
        "[]",
        node.items.map((item) => writeRawJson(item, indent, depth + 1)),
        indent,
        depth,
      );
    case "object": {
      const colon = indent > 0 ? ": " : ":";
      const members = node.entries.map(
        ([key, value]) => JSON.stringify(key) + colon + writeRawJson(value, indent, depth + 1),
      );
      return enclosed("{}", members, indent, depth);
    }
  }
}

function enclosed(
  brackets: string,
  members: readonly string[],
  indent: number,
  depth: number,
): string {
  const [open = "", close = ""] = brackets;
  if (members.length === 0 || indent === 0) return open + members.join(",") + close;
  const line = `\n${" ".repeat(indent * (depth + 1))}`;
  return `${open}${line}${members.join(`,${line}`)}\n${" ".repeat(indent * depth)}${close}`;
}

/** The member of an object; the last one where a key is there twice. */
export function memberOf(node: RawNode | undefined, key: string): RawNode | undefined {
  if (node?.kind !== "object") return undefined;
  return node.entries.findLast(([name]) => name === key)?.[1];
}

/** Deeper texts are not read: nobody could look at them, and the stack ends somewhere. */
const DEEPEST = 1_000;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/uy;
const STRING = /"(?:[^"\\]|\\.)*"/suy;
const LITERAL = /true|false|null/uy;
const SPACE = /[ \t\r\n]*/uy;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): RawNode {
    const node = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw new SyntaxError("something follows the value");
    return node;
  }

  #value(depth: number): RawNode {
    if (depth > DEEPEST) throw new SyntaxError("the value is nested too deeply");
    this.#skipSpace();
    switch (this.#text[this.#at]) {
      case "{":
        return { kind: "object", entries: this.#members("}", () => this.#entry(depth)) };
      case "[":
        return { kind: "array", items: this.#members("]", () => this.#value(depth + 1)) };
      case '"':
        return { kind: "string", value: this.#string() };
      case "t":
      case "f":
      case "n":
        return { kind: "literal", text: this.#take(LITERAL) as "true" | "false" | "null" };
      default:
        return { kind: "number", text: this.#take(NUMBER) };
    }
  }

  #members<Member>(end: string, read: () => Member): readonly Member[] {
    const members: Member[] = [];
    this.#at += 1;
    this.#skipSpace();
    if (this.#text[this.#at] === end) {
      this.#at += 1;
      return members;
    }
    for (;;) {
      members.push(read());
      this.#skipSpace();
      const mark = this.#text[this.#at];
      this.#at += 1;
      if (mark === end) return members;
      if (mark !== ",") throw new SyntaxError("a comma is missing");
    }
  }

  #entry(depth: number): readonly [string, RawNode] {
    this.#skipSpace();
    const key = this.#string();
    this.#skipSpace();
    if (this.#text[this.#at] !== ":") throw new SyntaxError("a colon is missing");
    this.#at += 1;
    return [key, this.#value(depth + 1)];
  }

  #string(): string {
    return JSON.parse(this.#take(STRING)) as string;
  }

  #skipSpace(): void {
    this.#take(SPACE);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found === undefined) throw new SyntaxError(`there is no value at ${this.#at}`);
    this.#at += found.length;
    return found;
  }
}
