/** Options that may be repeated, `--env-file` among them. */
import { Option } from "commander";

/** Which a start and `exec` have. */
export function envFileOption(): Option {
  return repeatable(
    "--env-file <file>",
    "environment variables from a file, where the environment has none of the name; may be repeated, the later file wins",
  );
}

/** Its value is the list of all that were given. */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, description).argParser(
    (value: string, before: readonly string[] | undefined) => [...(before ?? []), value],
  );
}
