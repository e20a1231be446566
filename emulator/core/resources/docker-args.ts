/** Entry point and command of a container as the one text that newer interfaces write them in, and back. Pure. */

/** What a container runs in the place of what its image says; an empty list: as its image says. */
export interface ContainerProgram {
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
}

/** A template or a pod, as far as it says what its container runs. */
export interface ProgramFields {
  /** The text as it was written; absent: it came as lists. */
  readonly dockerArgs?: string | undefined;
  readonly dockerEntrypoint: readonly string[];
  readonly dockerStartCmd: readonly string[];
}

/**
 * What the text says: either a JSON object with the lists `entrypoint` and `cmd`, one of which may be absent, or a command
 * as it is typed into a shell (live). Words are split and quotes taken off as a shell does, and nothing is expanded; where a
 * quote is not closed, at white space alone (live).
 */
export function splitArgs(text: string): ContainerProgram {
  return programIn(text) ?? { entrypoint: [], cmd: wordsOf(text) };
}

/** The text as it was written, while it still says what the lists say; else the shortest one that does. */
export function argsOf({ dockerArgs, dockerEntrypoint, dockerStartCmd }: ProgramFields): string {
  const program = { entrypoint: dockerEntrypoint, cmd: dockerStartCmd };
  if (dockerArgs !== undefined && isSameProgram(splitArgs(dockerArgs), program)) return dockerArgs;
  return program.entrypoint.length > 0
    ? JSON.stringify(program)
    : program.cmd.map(quoted).join(" ");
}

/** Whether both run the same. */
export function isSameProgram(one: ContainerProgram, other: ContainerProgram): boolean {
  return isSame(one.entrypoint, other.entrypoint) && isSame(one.cmd, other.cmd);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, at) => word === other[at]);
}

/** Undefined for a text that is no such object: a command may begin with a brace too. What else it has means nothing. */
function programIn(text: string): ContainerProgram | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  const value = parsed(text);
  if (typeof value !== "object" || value === null) return undefined;
  const { entrypoint = [], cmd = [] } = value as Readonly<Record<string, unknown>>;
  return areWords(entrypoint) && areWords(cmd) ? { entrypoint, cmd } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function areWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}

/** One part of a word: `'…'`, `"…"`, a backslash with what it stands before, or characters that stand for themselves. */
const PART =
  /'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])|([^ \t\r\n'"\\]+)|([ \t\r\n]+)|([\s\S])/gu;

/** Between double quotes a backslash takes its meaning from these alone. */
const ESCAPED_IN_QUOTES = /\\([$`"\\])|\\\n/gu;

function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [, literal, double, escaped, plain, space, open] of text.matchAll(PART)) {
    if (open !== undefined) return text.split(/[ \t\r\n]+/u).filter((each) => each !== "");
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (escaped !== "\n") {
      // A backslash before the end of a line joins it with the next one.
      const inQuotes = double?.replaceAll(ESCAPED_IN_QUOTES, "$1");
      word = `${word ?? ""}${literal ?? inQuotes ?? escaped ?? plain ?? ""}`;
    }
  }
  return word === undefined ? words : [...words, word];
}

/** Needs no quotes. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/u;

function quoted(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
