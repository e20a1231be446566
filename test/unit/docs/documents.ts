/** The documents for readers of this project, and the fenced blocks in them. */
import fs from "node:fs";
import path from "node:path";

export const root = path.resolve(import.meta.dirname, "../../..");

export interface Document {
  /** Path from the project's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export function readDocument(file: string): Document {
  return { path: file, text: fs.readFileSync(path.join(root, file), "utf8") };
}

/** Every Markdown file at the top, in docs/, in the examples and in the starters. */
export function documents(): readonly Document[] {
  const folders = ["examples", "templates"].flatMap((parent) =>
    foldersIn(parent).map((name) => `${parent}/${name}`),
  );
  return ["", "docs", ...folders].flatMap(markdownIn).map(readDocument);
}

function markdownIn(folder: string): string[] {
  return fs
    .readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => (folder === "" ? name : `${folder}/${name}`));
}

function foldersIn(folder: string): string[] {
  return fs
    .readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

/** A fenced block of code. */
export interface Fence {
  /** The words after the opening backticks. */
  readonly info: readonly string[];
  /** Line at which the code begins, from 1. */
  readonly line: number;
  readonly code: string;
}

/**
 * The `sh` blocks of a document below a heading, given exactly as written.
 * @throws Error when it has no such heading
 */
export function shellBelow({ path: file, text }: Document, heading: string): readonly string[] {
  const level = heading.indexOf(" ");
  // A comment in a block looks like a heading, so blocks are blanked before the search for headings.
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll(/[^\n]/g, " "));
  const start = prose.indexOf(`\n${heading}\n`);
  if (start === -1) throw new Error(`${file} has no heading "${heading}"`);
  const length = prose.slice(start + 1).search(new RegExp(`\\n#{1,${level}} `));
  const section = text.slice(start, length === -1 ? undefined : start + 1 + length);
  const blocks = fencesIn(section).filter(({ info }) => info[0] === "sh");
  return blocks.map(({ code }) => code);
}

export function fencesIn(text: string): readonly Fence[] {
  const matches = text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm);
  return Array.from(matches, ({ 1: info = "", 2: code = "", index }) => ({
    info: info.trim().split(/\s+/),
    line: text.slice(0, index).split("\n").length + 1,
    code,
  }));
}
