/** Tokens of JSON, and of object literals in TypeScript configs. */

const STRING = /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'|`(?:[^`\\]|\\[^])*`/u;
/** A number, a name, an operator. */
const WORD = /[^\s{}[\](),:/"'`]+/u;
const COMMENT = /\/\/[^\n]*|\/\*[^]*?\*\//u;

/** Finds one token after another, and comments, without checking their order. */
export const TOKEN = new RegExp(
  `[{}[\\](),:]|${STRING.source}|${WORD.source}|${COMMENT.source}|/`,
  "gu",
);
