/** Rows as aligned columns, and facts below each other. */
import { stripVTControlCharacters } from "node:util";
import type { Paint } from "../terminal-text.ts";
import { plain, STYLES } from "./terminal.ts";

const GAP = "  ";

/** The raw value; `state` is a word coloured by how good it is. Undefined shows nothing. */
export type Cell = string | number | undefined | { readonly state: string };

/** Columns with their headings, in order. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

/** Headings in capitals above the rows. Columns without any content are left out. */
export function tableText<Row>(paint: Paint, rows: readonly Row[], columns: Columns<Row>): string {
  const cells = rows.map((row) => Object.values(columns).map((cell) => shown(paint, cell(row))));
  const isShown = Object.keys(columns).map((_, at) => cells.some((row) => widthOf(row[at]) > 0));
  const lines = [Object.keys(columns).map((name) => name.toUpperCase()), ...cells].map((row) =>
    row.filter((_, at) => isShown[at] === true),
  );
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((row) => widthOf(row[at]))));
  const padded = (cell: string, at: number) =>
    cell + " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell)));
  return lines.map((row) => `${row.map(padded).join(GAP).trimEnd()}\n`).join("");
}

/** The width of a cell, without its colours. */
function widthOf(cell = ""): number {
  return stripVTControlCharacters(cell).length;
}

/** Facts by their names, in order. */
export type Facts = Readonly<Record<string, Cell>>;

/** Facts below each other, each behind its name. Facts without a value are left out. */
export function factsText(paint: Paint, facts: Facts): string {
  const known = Object.entries(facts)
    .map(([name, cell]) => [name, shown(paint, cell)] as const)
    .filter(([, value]) => value !== "");
  const width = Math.max(...known.map(([name]) => name.length));
  return known.map(([name, value]) => `${paint("dim", name.padEnd(width))}  ${value}\n`).join("");
}

function shown(paint: Paint, cell: Cell): string {
  return typeof cell === "object" ? stateText(paint, cell.state) : plain(String(cell ?? ""));
}

export function stateText(paint: Paint, state: string): string {
  const style = STYLES[state];
  return style === undefined ? plain(state) : paint(style, state);
}
