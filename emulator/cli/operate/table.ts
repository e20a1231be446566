/** Rows as aligned columns, and facts below each other. */
import { stripVTControlCharacters } from "node:util";
import type { Paint } from "./terminal.ts";

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

/** Facts with their names before them. */
export type Facts = readonly (readonly [name: string, value: string])[];

/** Those without a value are left out. */
export function factsText(paint: Paint, facts: Facts): string {
  const known = facts.filter(([, value]) => value !== "");
  const width = Math.max(...known.map(([name]) => name.length));
  return known.map(([name, value]) => `${paint("dim", name.padEnd(width))}  ${value}\n`).join("");
}
