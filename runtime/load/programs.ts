/** Finds the programs that a source file starts, worker threads and child processes, where it names them by their place. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Programs by their source files, with the names of their modules. */
export type Programs = Map<string, string>;

/** In the banner of a bundle: the directory of its programs, as a URL. */
export const PROGRAMS = "__svPrograms";

const QUOTED = "(?:\"[^\"\\\\\\n]+\"|'[^'\\\\\\n]+'|`[^`\\\\$\\n]+`)";
/** The beginning of a quoted path that is no package. */
const RELATIVE = "(?=.\\.\\.?/)";
const HERE = String.raw`(?:__dirname|import\.meta\.dirname)`;

/** Expressions for a file beside the source. */
const NAMED = new RegExp(
  [
    String.raw`new URL\(\s*${QUOTED}\s*,\s*import\.meta\.url\s*,?\s*\)`,
    String.raw`(?:import\.meta|require)\.resolve\(\s*${RELATIVE}${QUOTED}\s*\)`,
    String.raw`(?:\w+\.)?(?:join|resolve)\(\s*${HERE}\s*(?:,\s*${QUOTED}\s*)+,?\s*\)`,
    String.raw`\x60\$\{${HERE}\}/[^\x60\\$\n]+\x60`,
    String.raw`${HERE}\s*\+\s*${QUOTED}`,
  ].join("|"),
  "gu",
);
const PARTS = /"([^"]+)"|'([^']+)'|`(?:\$\{[^}]+\})?([^`$]+)`/gu;

/** A program that is the source file itself. */
const ITSELF =
  /(?<=\b(?:Worker|fork)\(\s*)(?:new URL\(\s*import\.meta\.url\s*\)|(?:\w+\.)?fileURLToPath\(\s*import\.meta\.url\s*\)|import\.meta\.filename|__filename)/gu;

const STARTS = /\b(?:Worker|fork)\(\s*(?:(?:\w+\.)?fileURLToPath\(\s*)?$/u;
const READS = /\bread\w*\(\s*$/u;

/** Endings that Node cannot run as they are, or only without enums and aliases. */
const TYPESCRIPT = /\.(?:[cm]?ts|tsx)$/u;
const CODE = /\.(?:[cm]?[jt]s|tsx)$/u;

const ENDINGS = [".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs"];

/** Endings of the source that an ending of JavaScript may mean. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
};

/**
 * The source with the modules of its programs in place of their files. Lines keep their numbers.
 *
 * @param placeOf the path of a file at the time when the bundle runs
 * @param programs receives the programs
 */
export function withPrograms(
  source: string,
  file: string,
  placeOf: (file: string) => string,
  programs: Programs,
): string {
  const moduleOf = (program: string, written: string): string => {
    const name = nameOf(placeOf(program));
    programs.set(program, name);
    return asWritten(written, `new URL(${JSON.stringify(name)},${PROGRAMS})`);
  };
  return source
    .replaceAll(NAMED, (written, at: number) => {
      const before = source.slice(Math.max(0, at - 100), at);
      const program = programNamed(written, file, before);
      return program === undefined ? written : moduleOf(program, written);
    })
    .replaceAll(ITSELF, (written) => moduleOf(file, written));
}

function programNamed(written: string, file: string, before: string): string | undefined {
  const parts = Array.from(written.matchAll(PARTS), ([, ...forms]) => forms.find(Boolean) ?? "");
  const found = codeAt(placeNamed(parts, file, written.startsWith("new URL")));
  if (found === undefined) return undefined;
  const isProgram = TYPESCRIPT.test(found) ? !READS.test(before) : STARTS.test(before);
  return isProgram ? found : undefined;
}

function placeNamed(parts: readonly string[], file: string, isUrl: boolean): string | undefined {
  if (!isUrl) return path.join(path.dirname(file), ...parts);
  const url = URL.parse(parts[0] ?? "", pathToFileURL(file).href);
  return url?.protocol === "file:" ? fileURLToPath(url) : undefined;
}

/** The file of code that is meant by a path, whose ending may be missing or that of JavaScript. */
function codeAt(wanted: string | undefined): string | undefined {
  if (wanted === undefined) return undefined;
  if (fs.existsSync(wanted)) return CODE.test(wanted) ? wanted : undefined;
  const { ext } = path.parse(wanted);
  const stem = wanted.slice(0, wanted.length - ext.length);
  const sources = (SOURCES[ext] ?? []).map((ending) => stem + ending);
  const completed = ENDINGS.map((ending) => wanted + ending);
  return [...sources, ...completed].find((file) => fs.existsSync(file));
}

/** The URL in the form of the expression that it replaces, with as many lines. */
function asWritten(written: string, url: string): string {
  const lines = written.replaceAll(/[^\n]/gu, "");
  if (written.startsWith("new URL")) return url + lines;
  if (written.startsWith("import.meta.resolve")) return `${url}.href${lines}`;
  return `process.getBuiltinModule("url").fileURLToPath(${url})${lines}`;
}

/** Depends only on the place, so that equal sources make equal bundles. */
function nameOf(place: string): string {
  const hash = createHash("sha256").update(place).digest("hex").slice(0, 8);
  return `${path.parse(place).name.replaceAll(/\W/gu, "-")}-${hash}.mjs`;
}
