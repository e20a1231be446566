/** Progress bars in printed text: after a carriage return a line begins again, and what follows replaces it. */

/** Escape sequences that go to the first column, as a carriage return does. */
// oxlint-disable-next-line no-control-regex -- these are control characters
const TO_FIRST_COLUMN = /\u001B\[[01]?G/gu;
/** Escape sequences that erase a line, or a part of it. */
// oxlint-disable-next-line no-control-regex -- as above
const ERASE = /\u001B\[[0-2]?K/gu;

/** The states of a line that was printed several times, the last one last. Blank ones, which erase a line, are left out. */
function statesOf(line: string): readonly string[] {
  const states = line.replaceAll(TO_FIRST_COLUMN, "\r").replaceAll(ERASE, "").split("\r");
  return states.filter((state) => state.trim() !== "");
}

/** The last state of a whole line. The line itself if it is printed once. */
export function shownText(line: string): string {
  const isOnce = !line.includes("\r") && !line.includes("\u001B[");
  return isOnce ? line : (statesOf(line).at(-1) ?? "");
}

/** The state of a line without an end that begins again and again. Undefined for other lines; a `\r` at the end may belong to `\r\n`. */
export function barState(begun: string): string | undefined {
  const text = begun.replaceAll(TO_FIRST_COLUMN, "\r");
  return /\r[^\r]/u.test(text) ? statesOf(text).at(-1) : undefined;
}
