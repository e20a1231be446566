/** Endings of files that handlers may import as text, in TypeScript and in JavaScript. */

export const TEXT_ENDINGS: ReadonlySet<string> = new Set([
  ".css",
  ".csv",
  ".gql",
  ".graphql",
  ".html",
  ".md",
  ".sql",
  ".txt",
  ".xml",
  ".yaml",
  ".yml",
]);
