/** Says why a step of a Dockerfile failed: a sentence where the cause is known, then the lines of its output that matter. Pure. */
import { stripVTControlCharacters } from "node:util";
import { SENTENCE } from "./build-progress.ts";

/** Maximum number of lines that are shown first. */
const MATTERING_LINES = 8;
/** Maximum number of the last lines of the output. */
const LAST_LINES = 12;

/** Lines of the classic builder, and of package managers about themselves. */
const NOISE =
  /^(?:Step \d+\/\d+ : | ---> |Removing intermediate container|npm (?:notice|error|ERR!)\s*$|npm notice|npm (?:error|ERR!) (?:A complete log|Run "npm help|\s+-|\s{4}|aliases:|Options:|Clean install|Usage:|npm ci$)|\s*$)/u;

/** Lines that tell a cause, the strongest kind first. */
const CAUSES = [
  /^npm (?:error|ERR!) (?:Missing: |Invalid: |[A-Z]\w+ \d{3}\b|\d{3} |code E(?!USAGE)[A-Z\d]+$|notarget|network |`npm ci` )/u,
  /\bERR_PNPM_\w+|STDERR |^error (?!Command failed)|YN(?!000[07])\d{4}: .*(?:rror|nvalid|couldn't|can't|not found|fail)/u,
  /gyp ERR! (?:stack Error|find Python Python is not set|not found: )|: (?:command )?not found$|Permission denied|No space left/u,
  /\[cause\]: |\b(?:EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ETIMEDOUT)\b/u,
  /^(?:npm (?:error|ERR!) )?(?:\w*Error\b[^:]*: |fatal: |error: |Error: )|\bcannot\b|\bCannot\b/u,
];

/**
 * @param error the engine's own message
 * @param sentences by which steps of this project explain their failure
 */
export function failedStep(
  error: string,
  output: readonly string[],
  sentences: readonly string[],
): readonly string[] {
  const lines = output
    .map((line) => stripVTControlCharacters(line).trimEnd())
    .filter((line) => !NOISE.test(line) && !line.startsWith(SENTENCE));
  const mattering = CAUSES.flatMap((cause) => lines.filter((line) => cause.test(line)));
  const first = [...new Set(mattering)].slice(0, MATTERING_LINES);
  if (sentences.length > 0) return [...sentences, ...first];
  const sentence = explained(lines);
  const last = lines.slice(-LAST_LINES).filter((line) => !first.includes(line));
  return [...(sentence === undefined ? [] : [sentence]), ...first, error, ...last];
}

/** Lines of npm, pnpm, yarn 1 and yarn about the package with a script that failed. */
const PLACES = [
  /^npm (?:error|ERR!) path (?:.*\/node_modules\/)?(.+)$/u,
  /node_modules\/(\S+) (?:pre|post)?install: Failed$/u,
  /^error \S*node_modules\/(\S+): Command failed\.$/u,
  /YN0009: .*?(@?[\w.-]+(?:\/[\w.-]+)?)@npm:\S+ couldn't be built/u,
];
const COMMANDS = [
  /^npm (?:error|ERR!) command sh -c (.+)$/u,
  /node_modules\/\S+ (?:pre|post)?install\$ (.+)$/u,
  /^Command: (.+)$/u,
];
const NO_COMPILER =
  /gyp ERR! find Python|not found: (?:make|g\+\+|cc)\b|(?:make|g\+\+|cc|python3?): (?:command )?not found/u;
const REFUSED =
  /\b(?:code E40[13]|40[13] (?:Unauthorized|Forbidden)|ERR_PNPM_FETCH_40[13]|YN0041)\b/u;

/** Undefined if the cause is not known. */
function explained(lines: readonly string[]): string | undefined {
  if (lines.some((line) => REFUSED.test(line))) {
    return "a registry refuses to give out a package: set the variable that .npmrc or .yarnrc.yml names for its token, or give npm's settings of the user with --secret id=npmrc,src=$HOME/.npmrc";
  }
  const place = firstMatch(lines, PLACES);
  if (place === undefined) return undefined;
  const command = firstMatch(lines, COMMANDS);
  const failed = `the install script of ${place} failed${command === undefined ? "" : `: ${command}`}`;
  if (!lines.some((line) => NO_COMPILER.test(line))) return failed;
  return `${failed}. No program built for this platform could be fetched, and the image of --node-image has no compiler: use a version that brings one in its package, name a --node-image with Python and a compiler, or write a Dockerfile`;
}

function firstMatch(lines: readonly string[], patterns: readonly RegExp[]): string | undefined {
  const found = patterns.flatMap((pattern) =>
    lines.flatMap((line) => pattern.exec(line)?.[1] ?? []),
  );
  return found[0];
}
