/**
 * Reads JSON into a tree that keeps every number as it was written: `1.0`, `9007199254740993` and `1e400` are not what
 * `JSON.parse` makes of them.
 */
import { TOKEN } from "../../core/jobs/raw-json/tokens.ts";

export type RawNode =
  | { readonly kind: "object"; readonly entries: readonly (readonly [string, RawNode])[] }
  | { readonly kind: "array"; readonly items: readonly RawNode[] }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "literal"; readonly text: "true" | "false" | "null" };

/** Maximum nesting of a tree: its readers and writers use the stack. */
const MAX_DEPTH = 1_000;

/** The tree of a text, or undefined where that is no JSON. */
export function readRawJson(text: string): RawNode | undefined {
  try {
    JSON.parse(text);
    const tokens = text.match(TOKEN) ?? [];
    let at = 0;
    return readNode(() => tokens[at++] ?? "", 0);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** @param next reads the next token of a text that is JSON */
function readNode(next: () => string, depth: number, first = next()): RawNode {
  if (depth > MAX_DEPTH) throw new SyntaxError("the value is nested too deeply");
  if (first === "{") {
    const entries = readMembers(next, "}", (key) => {
      next(); // the colon
      return [stringOf(key), readNode(next, depth + 1)] as const;
    });
    return { kind: "object", entries };
  }
  if (first === "[") {
    const items = readMembers(next, "]", (item) => readNode(next, depth + 1, item));
    return { kind: "array", items };
  }
  if (first.startsWith('"')) return { kind: "string", value: stringOf(first) };
  if (first === "true" || first === "false" || first === "null")
    return { kind: "literal", text: first };
  return { kind: "number", text: first };
}

function readMembers<Member>(
  next: () => string,
  end: string,
  read: (first: string) => Member,
): readonly Member[] {
  const members: Member[] = [];
  for (let token = next(); token !== end; token = next()) {
    if (token !== ",") members.push(read(token));
  }
  return members;
}

function stringOf(token: string): string {
  return token.includes("\\") ? String(JSON.parse(token)) : token.slice(1, -1);
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

/** The member of an object; the last one if the key occurs twice. */
export function memberOf(node: RawNode | undefined, key: string): RawNode | undefined {
  if (node?.kind !== "object") return undefined;
  return node.entries.findLast(([name]) => name === key)?.[1];
}
