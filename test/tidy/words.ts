/** Words that have no place in a published repository: notes to oneself, and names of where it was written. */
import type { TextFile } from "./tree.ts";

/** Put together from parts, so that this file does not offend itself. */
function anyOf(...parts: readonly (readonly string[])[]): RegExp {
  return new RegExp(parts.map((part) => part.join("")).join("|"), "i");
}

const placesAndTools = anyOf(
  ["anthro", "pic"],
  ["\\bclau", "de\\b"],
  ["sub", "agent"],
  ["registry\\.npm", "js"],
  ["(^|[\\s\"'`(=:])/wo", "rk/"],
  ["(^|[\\s\"'`(=:])/ro", "ot/"],
  ["shared/(spec", "|design)"],
  ["\\bBRIEF", "\\.md"],
);
const issueLetter = new RegExp(["\\bissue", " [A-Z]\\b"].join(""));
const noteToSelf = new RegExp(`\\b(${["TO", "DO|FIX", "ME|XX", "X|HA", "CK"].join("")})\\b`);

export function wordOffences(file: TextFile): string[] {
  return file.text.split("\n").flatMap((line, index) => {
    const found = [placesAndTools, issueLetter, noteToSelf]
      .map((rule) => rule.exec(line)?.[0].trim())
      .filter((word) => word !== undefined);
    return found.map((word) => `${file.path}:${index + 1} says "${word}"`);
  });
}
