/** Makes text that others wrote safe to print at a terminal. */
import { stripVTControlCharacters } from "node:util";

/** Without what would move the cursor; colours stay where there are colours. */
export function printable(text: string, colors: boolean): string {
  const plain = colors ? text : stripVTControlCharacters(text);
  // oxlint-disable-next-line no-control-regex
  return plain.replaceAll(/[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]/g, "");
}
