/** Reads the doc comments of a source file, so that the documentation agrees with the code. */
import { readFileSync } from "node:fs";
import { parseSync, type Program } from "oxc-parser";

const root = new URL("../../", import.meta.url);

export interface CommentedSource {
  readonly program: Program;
  /** The first sentence of the file's opening comment, on one line. */
  readonly opening: string;
  /** The doc comment that ends directly before `offset`, as its paragraphs, each on one line; none if there is none. */
  commentBefore(offset: number): readonly string[];
}

/** @param path from the project's root. @throws Error when it cannot be parsed */
export function readCommented(path: string): CommentedSource {
  const text = readFileSync(new URL(path, root), "utf8");
  const { program, comments, errors } = parseSync(path, text);
  const [first] = errors;
  if (first !== undefined) throw new Error(`${path} cannot be parsed: ${first.message}`);
  const docs = comments.filter(({ type, value }) => type === "Block" && value.startsWith("*"));
  const [opening] = docs;
  return {
    program,
    opening: opening === undefined ? "" : paragraphsOf(opening.value).join(" "),
    commentBefore(offset) {
      const before = docs.findLast(({ end }) => end <= offset);
      const isNext = before !== undefined && text.slice(before.end, offset).trim() === "";
      return isNext ? paragraphsOf(before.value) : [];
    },
  };
}

/** The paragraphs and list items of a comment before its first tag, without the asterisks. */
function paragraphsOf(comment: string): string[] {
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\*+ ?/, "").trim());
  const [prose = ""] = lines.join("\n").split(/^@/m, 1);
  return prose
    .split(/\n\s*\n|\n(?=- )/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, " ").trim())
    .filter((paragraph) => paragraph !== "");
}

export interface SourcedSentence {
  readonly says: string;
  /** Source of the rule: `spec`, `ours` or `live`; empty if the sentence names none. */
  readonly source: string;
}

/** Removes a source in brackets at the end of a sentence, like `(spec)` or `(ours: why)`. The reason stays. */
export function takeSource(sentence: string): SourcedSentence {
  const match = /^(.*?)\s*\((spec|ours|live)(?:([;:,])\s*([^()]*))?\)\.?$/s.exec(sentence);
  if (match === null) return { says: sentence, source: "" };
  const [, says = "", source = "", , reason] = match;
  const rest = reason === undefined ? says : `${says} (${reason})`;
  return { says: rest.endsWith(".") ? rest : `${rest}.`, source };
}
