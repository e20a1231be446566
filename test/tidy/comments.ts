/** Comments name their subject first: no comment begins with a word that stands for something said elsewhere. */
import type { Source } from "./source.ts";

/** "The same seed" has its noun; "The same of a pod" and "The same, later" have none. */
const HEADLESS =
  /^((So|Those|Likewise|Whoever|Whose)\b|Of (?!several\b|these\b)|The same(?= (of|by|in|with|for|at|as|where|to) |[,:;.]))/u;
const NUMBER_SAID_ELSEWHERE = /\bso (many|much|often|long)\b(?! (that|as|of)\b)/iu;

export function commentOffences(source: Source): string[] {
  return sentencesOf(source).flatMap(({ line, text }) => {
    const found = HEADLESS.exec(text) ?? NUMBER_SAID_ELSEWHERE.exec(text);
    return found === null
      ? []
      : [`${source.path}:${line} says "${found[0].trim()}" of what is not named`];
  });
}

/** The text of each comment; line comments that follow each other are one. */
function sentencesOf({ comments, text }: Source) {
  const found: { line: number; end: number; text: string }[] = [];
  for (const { type, value, start, end } of comments) {
    const plain = value.replaceAll(/^[\s*]+|\n[\s*]*/gu, " ").trim();
    const last = found.at(-1);
    const isNext = type === "Line" && last && /^\s*$/u.test(text.slice(last.end, start));
    if (isNext) Object.assign(last, { end, text: `${last.text} ${plain}` });
    else found.push({ line: text.slice(0, start).split("\n").length, end, text: plain });
  }
  return found;
}
