/** Finds the text that a stream of chunks is, where it is one. */
import { memberOf, type RawNode, readRawJson } from "../../json/raw-json.ts";
import type { Chunk } from "../../state/chunk-list.ts";

/** Keys under which handlers send pieces of text. */
const KEYS = ["token", "text", "delta", "content"];

/** The pieces one behind the other; undefined where one of the chunks is no text. */
export function joinedText(chunks: readonly Chunk[]): string | undefined {
  let text = "";
  for (const { json } of chunks) {
    const piece = pieceIn(readRawJson(json));
    if (piece === undefined) return undefined;
    text += piece;
  }
  return text;
}

function pieceIn(node: RawNode | undefined): string | undefined {
  if (node?.kind === "string") return node.value;
  const values = KEYS.map((key) => memberOf(node, key)).filter((value) => value !== undefined);
  const [value] = values;
  return values.length === 1 && value?.kind === "string" ? value.value : undefined;
}
