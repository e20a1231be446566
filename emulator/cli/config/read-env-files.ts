/** Reads env files in the format of Node's `--env-file`. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { missingSentence, placeAt, shownPath } from "../given-path.ts";
import { failedUse, UsageError } from "../usage-error.ts";

export interface FileVariable {
  readonly value: string;
  /** Its file and line. */
  readonly source: string;
}

const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(.*)$/u;
const NOTHING = /^\s*(?:#.*)?$/u;
const OPENS_QUOTE = /^["'`]/u;

/**
 * The variables of all files by name. A later file overrides an earlier one.
 *
 * @throws UsageError with file and line
 */
export async function readEnvFiles(
  files: readonly string[],
  cwd: string,
): Promise<ReadonlyMap<string, FileVariable>> {
  const all = new Map<string, FileVariable>();
  for (const written of files) {
    const file = resolve(cwd, written);
    const shown = shownPath(file, cwd);
    if ((await placeAt(file, cwd)) === "nothing")
      throw new UsageError(`--env-file: ${await missingSentence(file, cwd)}`);
    const text = await readFile(file, "utf8").catch((error: unknown) => {
      throw failedUse(`--env-file: ${shown} cannot be read`, error);
    });
    const lines = assignedLines(text, shown);
    for (const [name, value = ""] of Object.entries(parseEnv(text)))
      all.set(name, { value, source: `${shown}:${lines.get(name) ?? 1}` });
  }
  return all;
}

/** The last line of each variable. Lines that Node's parser would skip silently are refused. */
function assignedLines(text: string, shown: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (NOTHING.test(line)) continue;
    const [, name, value = ""] = ASSIGNMENT.exec(line.trimEnd()) ?? [];
    // The line is not shown because it may be part of a secret.
    if (name === undefined)
      throw new UsageError(
        `${shown}:${at + 1}: expected NAME=value, an empty line or a comment that begins with #; names consist of letters, digits and _`,
      );
    found.set(name, at + 1);
    const [quote] = OPENS_QUOTE.exec(value) ?? [];
    if (quote === undefined || value.indexOf(quote, 1) !== -1) continue;
    const start = at;
    do at += 1;
    while (at < lines.length && lines[at]?.includes(quote) !== true);
    if (at >= lines.length)
      throw new UsageError(`${shown}:${start + 1}: the value of ${name} has no closing ${quote}`);
  }
  return found;
}
