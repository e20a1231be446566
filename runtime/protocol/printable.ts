/** Makes foreign text safe for a terminal, and for a log that is read there. */
import { stripVTControlCharacters } from "node:util";

/** C0 except tab and line feed, DEL, and C1, because U+009B begins a sequence like ESC [. */
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu;
// oxlint-disable-next-line no-control-regex
const COLOUR = /(\u001b\[[\d;:]*m)/u;
/** Control characters that JSON does not escape. */
const UNESCAPED = /[\u007f-\u009f]/gu;

/** The text without control characters and terminal sequences; with `colors`, colours stay. */
export function printable(text: string, colors: boolean): string {
  if (!colors) return withoutControls(text);
  // Every second piece is a colour.
  return text
    .split(COLOUR)
    .map((piece, at) => (at % 2 === 0 ? withoutControls(piece) : piece))
    .join("");
}

/** Equivalent JSON text in which every control character of its strings is escaped. */
export function printableJson(json: string): string {
  return json.replaceAll(UNESCAPED, (each) => String.raw`\u00${each.charCodeAt(0).toString(16)}`);
}

function withoutControls(text: string): string {
  return stripVTControlCharacters(text).replaceAll(CONTROLS, "");
}
