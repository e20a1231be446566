/** Joins the chunks of a text. */
import { memberOf, type RawNode, readRawJson } from "../../json/raw-json.ts";
import type { Chunk } from "../../state/chunk-list.ts";

/** Keys of objects with which handlers stream text. */
const KEYS = ["token", "text", "delta", "content"];

/** Undefined when one of the chunks is not text. */
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
