/** Phrases for messages about invalid values. */
import type { JsonKind } from "../jobs/raw-json/scanner.ts";

const MAX_SHOWN_CHARACTERS = 60;

/** Describes a parsed JSON value in a short text. A long string is cut. */
export function valueInWords(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return clip(JSON.stringify(value));
  return typeof value === "boolean" ? String(value) : kindInWords(kindOfValue(value));
}

/** The type of a JSON value. Messages about secrets show it instead of the value. */
export function kindOfValue(value: unknown): JsonKind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    default:
      return "object";
  }
}

export function kindInWords(kind: JsonKind): string {
  if (kind === "null") return "null";
  return kind === "object" || kind === "array" ? `an ${kind}` : `a ${kind}`;
}

function clip(text: string): string {
  // The cut is between code points, so that no surrogate pair is split.
  const characters = Array.from(text.slice(0, 2 * MAX_SHOWN_CHARACTERS + 2));
  if (characters.length <= MAX_SHOWN_CHARACTERS) return text;
  return `${characters.slice(0, MAX_SHOWN_CHARACTERS).join("")}…`;
}
