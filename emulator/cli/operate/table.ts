/** Rows as aligned columns. */
import { stripVTControlCharacters } from "node:util";

const GAP = "  ";

/** `head` in capitals above the rows; columns in which no row has anything are left out. */
export function tableText(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const shown = head.map((_, column) => rows.some((row) => widthOf(row[column] ?? "") > 0));
  const lines = [head.map((name) => name.toUpperCase()), ...rows].map((row) =>
    row.filter((_, column) => shown[column] === true),
  );
  const widths = lines.reduce<number[]>(
    (widest, row) => row.map((cell, at) => Math.max(widest[at] ?? 0, widthOf(cell))),
    [],
  );
  const padded = (cell: string, at: number) =>
    cell + " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell)));
  return lines.map((row) => `${row.map(padded).join(GAP).trimEnd()}\n`).join("");
}

/** Colours take no place. */
function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
