/** The option `--env-file`, which a start and `exec` have. */
import { Option } from "commander";

export function envFileOption(): Option {
  return new Option(
    "--env-file <file>",
    "environment variables from a file, where the environment has none of the name; may be repeated, the later file wins",
  ).argParser((file: string, before: readonly string[] | undefined) => [...(before ?? []), file]);
}
