/** Describes why a handler cannot be built: each problem with its place and its line of source. Pure. */

export interface BuildProblem {
  /** A short description. */
  readonly text: string;
  /** Absent for a problem without a place. */
  readonly place?: Place;
}

interface Place {
  /** Absolute. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1. */
  readonly column: number;
  /** Number of wrong characters; 0 for a point between two. */
  readonly length: number;
  readonly lineText: string;
}

const MAX_PROBLEMS = 10;
const MAX_LINE_CHARACTERS = 160;

/** A paragraph for each problem: `file:line:column: text`, then the line of source with the wrong characters marked. */
export function describeProblems(problems: readonly BuildProblem[]): string {
  const shown = problems.slice(0, MAX_PROBLEMS).map(describeProblem);
  const more = problems.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}

function describeProblem({ text, place }: BuildProblem): string {
  if (place === undefined) return text;
  const { file, line, column, length, lineText } = place;
  const heading = `${file}:${line}:${column}: ${text}`;
  if (lineText.trim() === "" || lineText.length > MAX_LINE_CHARACTERS) return heading;
  const gutter = `  ${line} | `;
  const emptyGutter = `${" ".repeat(gutter.length - 2)}| `;
  // Tabs stay tabs, so that the mark stands below what it marks.
  const indent = lineText.slice(0, column - 1).replaceAll(/[^\t]/gu, " ");
  return `${heading}\n${gutter}${lineText}\n${emptyGutter}${indent}${"^".repeat(Math.max(1, length))}`;
}
