/** Says what to use in the place of an option that `sv-worker` does not have. Pure. */

/** Flags of the live service's Python SDK, each with what to use here. */
const OF_SDK: ReadonlyMap<string, string> = new Map([
  [
    "test_input",
    `use run with --input and the value of "input" alone, for example --input '{"name": "Ada"}'`,
  ],
  ["rp_serve_api", "use sv-emulate with the handler, which serves the whole interface"],
  ["rp_api_port", "use sv-emulate with the handler and --port"],
  ["rp_api_host", "use sv-emulate with the handler and --host"],
  ["rp_api_concurrency", "export concurrency from the handler"],
  ["rp_log_level", "set SV_LOG_LEVEL to debug, info, warn or error"],
  ["rp_debugger", "use --inspect"],
]);

/** Options that stand behind the word `run` only. */
const OF_RUN = ["input", "input-file", "timeout-ms", "objects"];

/**
 * The rest of the message about an unknown option.
 * @param option without its dashes and its value
 * @param known names of the options of the given command
 */
export function insteadOf(option: string, known: readonly string[]): string {
  const name = option.replaceAll("-", "_");
  const instead = OF_SDK.get(name);
  if (instead !== undefined) return `It is a flag of the live service's Python SDK: ${instead}.`;
  if (OF_RUN.includes(option) && !known.includes(option))
    return `It belongs to run: sv-worker run <handler> --${option} …`;
  const options = known.map((each) => `--${each}`).join(", ");
  return options === "" ? "This command has no options of its own." : `The options are ${options}.`;
}
