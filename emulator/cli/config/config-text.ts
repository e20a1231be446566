/** Reads the content of a config, and its text for the places of problems. */
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { scanJson } from "../../core/jobs/raw-json/scan.ts";
import { failedUse, UsageError } from "../usage-error.ts";
import { fileAt, lineAndColumn, type PlacedText } from "./key-positions.ts";

export interface ConfigText extends PlacedText {
  readonly written: unknown;
}

export interface ConfigProblem {
  /** Keys from the root. */
  readonly path: readonly PropertyKey[];
  /** The sentence; its first word is the key. */
  readonly sentence: string;
  /** Set if the key itself is wrong. */
  readonly at?: "key";
}

/** @throws UsageError with the place if the file cannot be read, parsed, built or run */
export async function readConfigText(file: string, shown: string): Promise<ConfigText> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw failedUse(`${shown} cannot be read`, error);
  });
  if (extname(file) === ".json") return { shown, text, written: parseJson(text, shown) };
  const { runConfigModule } = await import("./run-config-module.ts");
  return { shown, text, written: withoutUndefined(await runConfigModule(file, shown)) };
}

/** The error that names every problem with its place. */
export function configRefusal(source: PlacedText, problems: readonly ConfigProblem[]): UsageError {
  // One wrong number can break several rules of its key, all with the same sentence.
  const sentences = new Set(
    problems.map(({ path, sentence, at }) => `${fileAt(source, path, at)}: ${sentence}`),
  );
  if (sentences.size === 1) return new UsageError([...sentences].join());
  return new UsageError(
    [`${source.shown} has ${sentences.size} problems:`, ...sentences].join("\n  "),
  );
}

function parseJson(text: string, shown: string): unknown {
  const bytes = Buffer.from(text);
  const scanned = scanJson(bytes, { subject: "the config" });
  if (scanned.ok) return JSON.parse(text);
  const { atByte, message } = scanned.fault;
  const { line, column } = lineAndColumn(text, bytes.subarray(0, atByte).toString().length);
  throw new UsageError(`${shown}:${line}:${column}: ${message.replace(/,? at byte \d+/u, "")}`);
}

/** Removes keys with the value undefined, as if they were left out. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== "object" || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([key, each]) => [key, withoutUndefined(each)]));
}
