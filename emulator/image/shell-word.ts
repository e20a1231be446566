/** Quotes a text as one word for a shell. Pure. */

/** What no shell takes for anything else, wherever it stands. */
const PLAIN = /^[\w@%+:,./-]+$/u;

/** One word, in quotes where it takes them. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
