/** Reads the arguments and secrets that `sv-emulate build` gives to a Dockerfile. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { failedUse, UsageError } from "../usage-error.ts";

/** @throws UsageError for an argument without a name, or without a value there or in the environment */
export function buildArgsOf(
  written: readonly string[] = [],
  env: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    written.map((text) => {
      const [name = "", ...rest] = text.split("=");
      const value = rest.length > 0 ? rest.join("=") : env[name];
      if (name !== "" && value !== undefined) return [name, value];
      throw new UsageError(
        `--build-arg ${text} is no NAME=value, and there is no environment variable of that name`,
      );
    }),
  );
}

/** @throws UsageError for a secret without an id, or with a missing file or variable */
export function secretsOf(
  written: readonly string[] = [],
  cwd: string,
  env: NodeJS.ProcessEnv,
): ReadonlyMap<string, Uint8Array> {
  return new Map(written.map((text) => [idOf(text), secretAt(text, cwd, env)]));
}

function idOf(text: string): string {
  const { id } = partsOf(text);
  if (id) return id;
  throw new UsageError(
    `--secret ${text} has no id; write id=NAME,src=FILE or id=NAME,env=VARIABLE`,
  );
}

/** Without a source a secret is taken from the variable of its id, as docker does. */
function secretAt(text: string, cwd: string, env: NodeJS.ProcessEnv): Uint8Array {
  const { id = "", src, source = src, env: variable = id } = partsOf(text);
  if (source === undefined) {
    const value = env[variable];
    if (value !== undefined) return Buffer.from(value);
    throw new UsageError(`--secret ${text}: there is no environment variable ${variable}`);
  }
  try {
    return readFileSync(path.resolve(cwd, source));
  } catch (error) {
    throw failedUse(`--secret ${text} cannot be read`, error);
  }
}

function partsOf(text: string): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    text.split(",").map((part) => {
      const [name = "", ...value] = part.split("=");
      return [name, value.join("=")];
    }),
  );
}
