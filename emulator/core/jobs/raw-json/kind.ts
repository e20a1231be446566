/** What a JSON text is, seen by its first byte. */

export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

export function kindOf(firstByte: number): JsonKind {
  switch (firstByte) {
    case 0x7b:
      return "object";
    case 0x5b:
      return "array";
    case 0x22:
      return "string";
    case 0x74:
    case 0x66:
      return "boolean";
    case 0x6e:
      return "null";
    default:
      return "number";
  }
}
