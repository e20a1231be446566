/** Options of several commands, and repeatable options. */
import { Option } from "commander";
import { LIMIT_MODES } from "../core/limits/rate-limit.ts";

export function limitsOption(): Option {
  return new Option(
    "--limits <mode>",
    "requests over the rate limits of production: refused, allowed with a warning, or not counted (default: enforce)",
  ).choices(LIMIT_MODES);
}

export function envFileOption(): Option {
  return repeatable(
    "--env-file <file>",
    "a file of environment variables; variables that are already set win; may be repeated, the later file wins",
  );
}

/** An option that may be repeated. Its value is the list of all given values. */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, description).argParser(
    (value: string, before: readonly string[] | undefined) => [...(before ?? []), value],
  );
}
