/** Why a handler cannot be built: each error with its place and the line it is in, as people read it. Pure. */

export interface BuildProblem {
  /** What is wrong, a short text. */
  readonly text: string;
  /** Undefined where nobody knows. */
  readonly place?: Place;
}

interface Place {
  /** Absolute. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1. */
  readonly column: number;
  /** How many characters it is about; 0 for a place between two. */
  readonly length: number;
  /** The text of that line. */
  readonly lineText: string;
}

const MOST_SHOWN = 10;
const MAX_LINE_CHARACTERS = 160;

/** One problem a paragraph: `file:line:column: text`, below it the line with a mark under what is meant. */
export function describeProblems(problems: readonly BuildProblem[]): string {
  const shown = problems.slice(0, MOST_SHOWN).map(describe);
  const more = problems.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}

function describe({ text, place }: BuildProblem): string {
  if (place === undefined) return text;
  const { file, line, column, length, lineText } = place;
  const start = `${file}:${line}:${column}: ${text}`;
  if (lineText.trim() === "" || lineText.length > MAX_LINE_CHARACTERS) return start;
  const gutter = `  ${line} | `;
  const bar = `${" ".repeat(gutter.length - 2)}| `;
  // A tab stays one, so that the mark stands below what it marks.
  const indent = lineText.slice(0, column - 1).replaceAll(/[^\t]/gu, " ");
  return `${start}\n${gutter}${lineText}\n${bar}${indent}${"^".repeat(Math.max(1, length))}`;
}
