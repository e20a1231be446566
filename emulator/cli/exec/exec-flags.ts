/** The command `exec`: its flags, its help, and the beginning of the program that it runs. */
import { type Command, Option } from "commander";
import { envFileOption, limitsOption } from "../shared-options.ts";
import { type Flags } from "../serve/settings.ts";
import { DEFAULT_HOST, LOG_MODES } from "../serve/setting-values.ts";
import { UsageError } from "../usage-error.ts";

/** The flags as written; one that was not given is absent. */
export interface ExecFlags extends Pick<
  Flags,
  "port" | "host" | "dataDir" | "limits" | "log" | "envFile"
> {
  readonly junit?: string;
}

/** Separates the arguments of `sv-emulate` from the command. */
const SEPARATOR = "--";

/**
 * Splits the command off the arguments of `exec`. Other arguments stay unchanged.
 *
 * @throws UsageError without a command
 */
export function splitCommand(args: readonly string[]): {
  readonly own: readonly string[];
  readonly command: readonly string[];
} {
  if (args[0] !== "exec" || args.some((arg) => arg === "-h" || arg === "--help")) {
    return { own: args, command: [] };
  }
  const at = args.indexOf(SEPARATOR);
  const command = at === -1 ? [] : args.slice(at + 1);
  if (command.length > 0) return { own: args.slice(0, at), command };
  throw new UsageError(
    `exec runs the command behind ${SEPARATOR}; for example sv-emulate exec ${SEPARATOR} npm test`,
  );
}

/** @param taken called when the command was given */
export function addExecCommand(
  program: Command,
  taken: (targets: readonly string[], flags: ExecFlags) => void,
): void {
  program
    .command("exec")
    .summary("start the service, run a command, and stop")
    .description(
      "Serves handlers, runs the command once they can be called, and stops with the command's exit code. Nothing is kept without --data-dir.",
    )
    .usage("[options] [targets...] -- <command> [arguments...]")
    .argument("[targets...]", "what to serve, as without exec; default: the current directory")
    .option("--junit <file>", "write a report of the jobs that ran, as JUnit XML")
    .option("--port <number>", "port to listen on (default: any free one)")
    .option("--host <address>", `address to listen on (default: ${DEFAULT_HOST})`)
    .option(
      "--data-dir <directory>",
      "directory that keeps jobs and objects over restarts (default: none)",
    )
    .addOption(limitsOption())
    .addOption(
      new Option(
        "--log <format>",
        "the whole log on stderr; by default only warnings and errors",
      ).choices(LOG_MODES),
    )
    .addOption(envFileOption())
    .addHelpText("after", AFTER_HELP)
    .action((targets: readonly string[], flags: ExecFlags) => taken(targets, flags));
}

const AFTER_HELP = `
Environment of the command, besides what exec was given:
  SV_URL             where the service is, for example http://127.0.0.1:41234; clients take it by default
  SV_API_KEY         the API key: the one that exec was given, or one made for this run
  SV_URL_<ID>        the address of each endpoint: SV_URL_HELLO is http://127.0.0.1:41234/v2/hello
  SV_WEBHOOK_SECRET  the secret that signs webhook calls

Examples:
  sv-emulate exec -- npm test
  sv-emulate exec --junit jobs.xml examples -- npx vitest run

SIGINT, SIGTERM and SIGHUP go to the command. The exit code is the command's, or the signal that ended it; 127 if there is no
such command, 126 if it cannot be run. Errors before the command runs have the exit codes of sv-emulate.
`;
