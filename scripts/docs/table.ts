/** Writes Markdown tables as the formatter does: each column is as wide as its widest cell. */

const MIN_WIDTH = 3;

/** @param rows each with as many cells as there are heads; a `|` in a cell is escaped */
export function markdownTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [heads, ...rows].map((cells) => cells.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = heads.map((_, column) =>
    Math.max(MIN_WIDTH, ...lines.map((cells) => widthOf(cells[column] ?? ""))),
  );
  const [head = "", ...body] = lines.map((cells) => line(cells, widths));
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [head, rule, ...body].join("\n");
}

function line(cells: readonly string[], widths: readonly number[]): string {
  const padded = widths.map((width, column) => {
    const cell = cells[column] ?? "";
    return cell + " ".repeat(width - widthOf(cell));
  });
  return `| ${padded.join(" | ")} |`;
}

/** Width in characters; all characters of these texts have the same width. */
function widthOf(cell: string): number {
  return Array.from(cell).length;
}
