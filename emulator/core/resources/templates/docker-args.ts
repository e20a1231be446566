/** Entry point and command of a container, as the one text that newer interfaces use, and back. Pure. */

/** Overrides of the image's entry point and command; an empty list keeps the image's. */
export interface ContainerProgram {
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
}

/** The fields of a template or pod that decide what its container runs. */
export interface ProgramFields {
  /** The text as written; absent: the client sent lists. */
  readonly dockerArgs?: string | undefined;
  readonly dockerEntrypoint: readonly string[];
  readonly dockerStartCmd: readonly string[];
}

/**
 * Reads the text: a JSON object with the optional lists `entrypoint` and `cmd`, or a command as typed into a shell (live). A
 * command is split at unquoted white space and quotes are removed, as a shell does; nothing is expanded. A command with an
 * unclosed quote is split at white space only (live).
 */
export function splitArgs(text: string): ContainerProgram {
  return programIn(text) ?? { entrypoint: [], cmd: wordsOf(text) };
}

/** The text as written if it still matches the lists, otherwise the shortest text that does. */
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

/** Undefined for any other text: a command may begin with a brace too. Other members are ignored. */
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

/** A piece of a word: `'…'`, `"…"`, a backslash with the character after it, or plain characters. */
const PART =
  /'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])|([^ \t\r\n'"\\]+)|([ \t\r\n]+)|([\s\S])/gu;

/** The characters that a backslash escapes within double quotes. */
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
      // A backslash at the end of a line joins it with the next line.
      const inQuotes = double?.replaceAll(ESCAPED_IN_QUOTES, "$1");
      word = `${word ?? ""}${literal ?? inQuotes ?? escaped ?? plain ?? ""}`;
    }
  }
  return word === undefined ? words : [...words, word];
}

/** A word that needs no quotes. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/u;

function quoted(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
