// Cuts text into tokens and joins them again. Tokens are words, numbers, punctuation and paragraph breaks, each with the space
// before it.

// A token includes its leading space, as in most language models. Tokens are then joined by concatenation, and an opening
// quotation mark (` "`) differs from a closing one (`"`).
const TOKEN = /\n\n| ?[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*| ?(?:--|\.{3}|[^\s\p{L}\p{N}])/gu;

/** The token between two paragraphs. */
export const PARAGRAPH = "\n\n";

/** The tokens of a text. Lines are joined; blank lines become one {@link PARAGRAPH} token. */
export function tokenize(text: string): string[] {
  const flowing = text
    .split(/\n\s*\n/u)
    .map((paragraph) => paragraph.replace(/\s+/gu, " ").trim())
    .join(PARAGRAPH);
  return flowing.match(TOKEN) ?? [];
}

/** The text of tokens. */
export function detokenize(tokens: readonly string[]): string {
  return tokens.join("");
}
