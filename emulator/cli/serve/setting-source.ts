/** Settings with their sources, and readers of their texts. */
import { UsageError } from "../usage-error.ts";
import type { Environment } from "./setting-values.ts";

/** A value with its source: a flag, a variable, a place in a config, or `default`. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
}

export const BY_DEFAULT = "default";

export function from<T>(source: string, value: T | undefined): Sourced<T> | undefined {
  return value === undefined ? undefined : { value, source };
}

export function byDefault<T>(value: T): Sourced<T> {
  return { value, source: BY_DEFAULT };
}

/** Reads a text. @throws UsageError for an invalid one */
export type Reader<T> = (text: string, source: string) => T;

/** An empty text counts as not given: shells make empty texts from unset variables. */
export function given<T>(
  source: string,
  text: string | undefined,
  reader: Reader<T>,
): Sourced<T> | undefined {
  return text === undefined || text === "" ? undefined : from(source, reader(text, source));
}

/** A text with a rule. @param isShown false for a secret, which no message shows */
export function ruled(
  isGood: (text: string) => boolean,
  rule: string,
  isShown = true,
): Reader<string> {
  return (text, source) => {
    if (isGood(text)) return text;
    throw new UsageError(`${source} ${rule}${isShown ? `; got ${JSON.stringify(text)}` : ""}`);
  };
}

/** Reads several texts with commas between them. */
export function listOf(reader: Reader<string>): Reader<readonly string[]> {
  return (text, source) => text.split(",").map((name) => reader(name.trim(), source));
}

/** Readers of flags. Without the flag its variable is read: `SV_S3_PORT` for `--s3-port`. */
export function flagsOver(env: Environment) {
  const variableOf = (flag: string) => `SV_${flag.toUpperCase().replaceAll("-", "_")}`;
  const variable = <T>(name: string, reader: Reader<T>) => given(name, env[name], reader);
  return {
    variable,
    said: <T>(name: string, flag: string | undefined, reader: Reader<T>) =>
      given(`--${name}`, flag, reader) ?? variable(variableOf(name), reader),
    /** Reads a flag that may be repeated. The name of its variable is in the plural. */
    listed: (name: string, texts: readonly string[] | undefined, reader: Reader<string>) => {
      const several = `${variableOf(name)}S`;
      const read = texts?.map((text) => reader(text, `--${name}`));
      return from(`--${name}`, read) ?? given(several, env[several]?.trim(), listOf(reader));
    },
  };
}
