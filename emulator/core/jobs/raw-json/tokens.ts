/** The tokens of JSON, and of the object literals of TypeScript that a config may be written in. */

const STRING = /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'|`(?:[^`\\]|\\[^])*`/u;
/** A number, a name, an operator. */
const WORD = /[^\s{}[\](),:/"'`]+/u;
const COMMENT = /\/\/[^\n]*|\/\*[^]*?\*\//u;

/** Finds one token after another, and comments. Whether they make sense is not looked at. */
export const TOKEN = new RegExp(
  `[{}[\\](),:]|${STRING.source}|${WORD.source}|${COMMENT.source}|/`,
  "gu",
);
