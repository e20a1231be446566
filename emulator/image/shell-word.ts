/** Quotes a text as one word for a shell. Pure. */

/** Texts that need no quotes in any shell. */
const PLAIN = /^[\w@%+:,./-]+$/u;

/** The text as one word, in quotes if necessary. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
