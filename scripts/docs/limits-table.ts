/** The table of all limits, from `runtime/protocol/limits.ts`: names and values from the object, meanings from its comments. */
import { Visitor } from "oxc-parser";
import { LIMITS } from "../../runtime/protocol/limits.ts";
import { readCommented, takeSource } from "./comments.ts";
import { markdownTable } from "./table.ts";

export function limitsTable(): string {
  const meanings = readMeanings();
  const rows = Object.entries(LIMITS).map(([name, value]) => {
    const { says, source } = takeSource(meanings.get(name) ?? "");
    return [`\`${name}\``, limitInWords(name, value), says, source];
  });
  return markdownTable(["Limit", "Value", "Meaning", "Source"], rows);
}

/** A comment describes the entries up to the next comment. */
function readMeanings(): ReadonlyMap<string, string> {
  const source = readCommented("runtime/protocol/limits.ts");
  const meanings = new Map<string, string>();
  let meaning = "";
  const visitor = new Visitor({
    Property({ key, start }) {
      if (key.type !== "Identifier") return;
      meaning = source.commentBefore(start).join(" ") || meaning;
      meanings.set(key.name, meaning);
    },
  });
  visitor.visit(source.program);
  return meanings;
}

const SECOND_MS = 1_000;
const DURATIONS = [
  [86_400_000, "days"],
  [60_000, "min"],
  [SECOND_MS, "s"],
] as const;
const MB = 1_000_000;

/** The unit of a limit, from the end of its name: `Ms`, `Bytes` or none. */
export function limitInWords(name: string, value: number): string {
  if (name.endsWith("Ms")) {
    for (const [unitMs, unit] of DURATIONS) {
      if (value % unitMs !== 0) continue;
      const count = value / unitMs;
      return `${grouped(count)} ${unit === "days" && count === 1 ? "day" : unit}`;
    }
    return `${grouped(value)} ms`;
  }
  if (!name.endsWith("Bytes")) return grouped(value);
  return value % MB === 0 ? `${grouped(value / MB)} MB` : `${grouped(value)} bytes`;
}

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
