/** Writes the results as a table: aligned columns for the terminal, Markdown for the file. */
import { styleText } from "node:util";
import type { Line, RowResult, Target } from "./line.ts";
import type { Summary } from "./statistics.ts";

const HEADINGS = ["measurement", "sv-runtime", "beside it", "", "ratio", "target", ""] as const;
const RIGHT_ALIGNED = new Set([1, 3, 4]);

/** Colours of verdicts. */
export type Paint = (word: "met" | "not met", text: string) => string;

export const plain: Paint = (_, text) => text;
export const coloured: Paint = (word, text) =>
  styleText(word === "met" ? "green" : "red", text, { validateStream: false });

/** The table for the terminal, with each row's notes below it. */
export function terminalTable(rows: readonly RowResult[], paint: Paint): string {
  const cells = rows.map((row) => row.lines.map(cellsOf));
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...cells.flat().map((line) => (line[column] ?? "").length)),
  );
  const align = (line: readonly string[]): string =>
    line
      .map((text, column) => pad(text, widths[column] ?? 0, RIGHT_ALIGNED.has(column)))
      .join("  ")
      .trimEnd();
  const blocks = rows.map((row, index) => {
    const lines = (cells[index] ?? []).map((line, at) => {
      const text = `  ${align(line)}`;
      const met = row.lines[at]?.target?.met;
      return met === undefined ? text : paintVerdict(text, met, paint);
    });
    return [row.title, ...lines, ...notesOf(row).map((note) => `    ${note}`)].join("\n");
  });
  return [`  ${align(HEADINGS)}`, ...blocks].join("\n\n");
}

/** The table as a Markdown document, without its heading. */
export function markdownTable(rows: readonly RowResult[]): string {
  return rows
    .map((row) => {
      const lines = [HEADINGS, HEADINGS.map(() => "---"), ...row.lines.map(cellsOf)];
      const table = lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
      const notes = notesOf(row).map((note) => `- ${note}`);
      return [`## ${row.title}`, table, ...(notes.length > 0 ? [notes.join("\n")] : [])].join(
        "\n\n",
      );
    })
    .join("\n\n");
}

function cellsOf(line: Line): readonly string[] {
  return [
    line.what,
    spread(line.ours, line.unit),
    line.beside?.what ?? "",
    line.beside === undefined ? "" : spread(line.beside.value, line.unit),
    line.ratio === undefined ? "" : `${number(line.ratio.median)} ×`,
    line.target?.text ?? "",
    verdict(line.target),
  ];
}

function verdict(target: Target | undefined): string {
  if (target?.met === undefined) return "";
  return target.met ? "met" : "not met";
}

function paintVerdict(text: string, met: boolean, paint: Paint): string {
  const word = met ? "met" : "not met";
  return `${text.slice(0, -word.length)}${paint(word, word)}`;
}

function notesOf(row: RowResult): readonly string[] {
  return [...new Set(row.lines.flatMap((line) => line.notes ?? []))];
}

/** `1.03 ms (0.98–1.10)`: the median, and the minimum and maximum of several rounds. */
function spread(summary: Summary | undefined, unit: string): string {
  if (summary === undefined) return "–";
  const middle = `${number(summary.median)} ${unit}`.trimEnd();
  if (summary.count < 2) return middle;
  return `${middle} (${number(summary.low)}–${number(summary.high)})`;
}

/** Formats a number with three significant digits; from 100 on as a whole number with separators. */
export function number(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  if (value === 0) return "0";
  return value.toLocaleString("en-US", {
    minimumSignificantDigits: 3,
    maximumSignificantDigits: 3,
  });
}

function pad(text: string, size: number, right: boolean): string {
  const gap = " ".repeat(Math.max(0, size - text.length));
  return right ? gap + text : text + gap;
}
