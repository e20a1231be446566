/** The outside of a file: its name, its length, and its beginning. */
import type { Source } from "./source.ts";
import type { TextFile } from "./tree.ts";

const MAX_LINES = 300;
const buckets = /^(utils?|helpers?|types|interfaces|lib|common|shared|misc)$/;

export function lengthOffences(file: TextFile): string[] {
  const lines = file.text.replace(/\n$/, "").split("\n").length;
  return lines > MAX_LINES ? [`${file.path} has ${lines} lines, more than ${MAX_LINES}`] : [];
}

/** Such a name says nothing about the content, so everything would end up there. */
export function bucketOffences(file: TextFile): string[] {
  const names = file.path.split("/").map((part) => part.replace(/(?<=.)\..*$/, ""));
  return names
    .filter((name) => buckets.test(name))
    .map((name) => `${file.path} is named after nothing: "${name}"`);
}

/** Every file begins with a comment that is a sentence, after a `#!` line if there is one. */
export function openingOffences(source: Source): string[] {
  const start = source.text.startsWith("#!") ? source.text.indexOf("\n") + 1 : 0;
  const [first] = source.comments;
  const opens = first !== undefined && source.text.slice(start, first.start).trim() === "";
  return opens && isSentence(openingText(source))
    ? []
    : [`${source.path} does not open with a sentence that says what it is for`];
}

/** A run of `//` lines is one text. */
function openingText(source: Source): string {
  const [first, ...others] = source.comments;
  if (first === undefined) return "";
  if (first.type === "Block") return first.value.replaceAll(/^\s*\*+ ?/gm, "").trim();
  let text = first.value;
  let end = first.end;
  for (const comment of others) {
    if (comment.type !== "Line" || source.text.slice(end, comment.start).trim() !== "") break;
    text += comment.value;
    end = comment.end;
  }
  return text.trim();
}

function isSentence(text: string): boolean {
  return (
    /^["'`A-Z0-9(]/.test(text) && text.split(/\s+/).length >= 3 && /[.:!?](\s|$|["'`)])/.test(text)
  );
}
