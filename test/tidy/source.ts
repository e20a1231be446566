/** A parsed source file, so that the rules look at syntax and never at words inside strings and comments. */
import { parseSync, Visitor, type Comment, type Program, type VisitorObject } from "oxc-parser";
import type { TextFile } from "./tree.ts";

export interface Source extends TextFile {
  readonly program: Program;
  readonly comments: readonly Comment[];
}

/** @throws Error when the text is no TypeScript or JavaScript. */
export function parse(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text);
  const [first] = errors;
  if (first !== undefined) throw new Error(`${path} cannot be parsed: ${first.message}`);
  return { path, text, program, comments };
}

/** Walks the syntax tree and collects the visitor's reports; a report has the offset of its place. */
export function gather(
  source: Source,
  visitor: (report: (start: number, sentence: string) => void) => VisitorObject,
): string[] {
  const offences: string[] = [];
  const report = (start: number, sentence: string): void => {
    offences.push(`${source.path}:${lineAt(source.text, start)} ${sentence}`);
  };
  new Visitor(visitor(report)).visit(source.program);
  return offences;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
