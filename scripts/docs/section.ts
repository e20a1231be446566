/** Puts generated text into a document, between two markers that name it. */

/**
 * The document with `text` as its section `name`, which is between `<!-- name: begin (npm run docs) -->` and `<!-- name: end -->`, with an empty line on both sides.
 *
 * @throws Error when a marker is missing
 */
export function withSection(document: string, name: string, text: string): string {
  const begin = `<!-- ${name}: begin (npm run docs) -->`;
  const start = document.indexOf(begin);
  const end = document.indexOf(`<!-- ${name}: end -->`);
  if (start === -1 || end < start) {
    throw new Error(`the markers of the section "${name}" are missing or out of order`);
  }
  return `${document.slice(0, start + begin.length)}\n\n${text}\n\n${document.slice(end)}`;
}
