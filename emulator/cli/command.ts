/** The command line of `sv-emulate`: its flags, its help and how it is read. */
import { Command, CommanderError, Option } from "commander";
import { EXIT_MEANINGS } from "./exit-code.ts";
import { CONFIG_NAME, HANDLER_ENDINGS, HANDLER_STEM } from "./place.ts";
import {
  DEFAULT_DATA_DIR,
  DEFAULT_HOST,
  DEFAULT_PORT,
  type Flags,
  LOG_MODES,
  S3_OFF,
} from "./settings.ts";
import { UsageError } from "./usage-error.ts";

/** What was asked for: to serve targets, or just a text: the help or the version. */
export type Invocation =
  | { readonly kind: "serve"; readonly targets: readonly string[]; readonly flags: Flags }
  | { readonly kind: "answer"; readonly text: string };

const DEFAULT_HELP_WIDTH = 100;

/**
 * Reads the arguments after the program's name.
 *
 * @throws UsageError when they cannot be understood
 */
export function readCommandLine(
  args: readonly string[],
  version: string,
  helpWidth = DEFAULT_HELP_WIDTH,
): Invocation {
  let text = "";
  const command = createCommand(version)
    .exitOverride()
    .configureOutput({
      writeOut: (piece) => (text += piece),
      writeErr: (piece) => (text += piece),
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
    });
  try {
    command.parse(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: "answer", text };
    throw new UsageError(text.replace(/^error: /, "").trim(), { cause: error });
  }
  return { kind: "serve", targets: command.args, flags: command.opts<Flags>() };
}

function createCommand(version: string): Command {
  return new Command("sv-emulate")
    .summary("serve handlers on this machine")
    .description(
      "Serves handlers as queue-based endpoints on this machine: HTTP in front, a durable queue, workers behind.",
    )
    .usage("[options] [targets...]")
    .argument("[targets...]", TARGETS_HELP)
    .option("--port <number>", `port to listen on, 0 for any free one (default: ${DEFAULT_PORT})`)
    .option("--host <address>", `address to listen on (default: ${DEFAULT_HOST})`)
    .option(
      "--s3-port <number>",
      `port of the object store for S3 clients, ${S3_OFF} for no store (default: the one above --port, or any free one)`,
    )
    .option(
      "--data-dir <directory>",
      `where jobs and objects are kept over restarts (default: ${DEFAULT_DATA_DIR})`,
    )
    .addOption(
      new Option("--ephemeral", "keep nothing; at the end jobs and objects are lost").conflicts(
        "dataDir",
      ),
    )
    .addOption(
      new Option(
        "--log <format>",
        "the log on stderr; pretty in a terminal, otherwise json",
      ).choices(LOG_MODES),
    )
    .version(version, "-v, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .addHelpText("after", AFTER_HELP);
}

const TARGETS_HELP =
  `what to serve: a handler file (${HANDLER_ENDINGS.join(", ")}), a directory with a ` +
  `${HANDLER_STEM}${HANDLER_ENDINGS[0]}, a directory of such directories, or a config (.json); ` +
  `default: the current directory`;

const EXIT_HELP = Object.entries(EXIT_MEANINGS)
  .map(([code, meaning]) => `  ${code.padEnd(4)} ${meaning}`)
  .join("\n");

const AFTER_HELP = `
Environment (flags win):
  SV_PORT      port to listen on
  SV_S3_PORT   port of the object store, or ${S3_OFF}
  SV_API_KEY   the API key to accept; replaces the one kept in the data directory
  SV_DEBUG     1 adds the stack to errors
  NO_COLOR     anything turns colours off

Examples:
  sv-emulate hello.ts              the endpoint "hello"
  sv-emulate examples              an endpoint for each directory in it with a handler
  sv-emulate ../a/handler.ts b.js  the endpoints "a" and "b", wherever they lie
  sv-emulate ${CONFIG_NAME}        endpoints with settings of their own
  sv-emulate --ephemeral --port 0  the current directory, nothing kept, any free port

A line on stdout that begins "ready http://" says that it can be called.
The first SIGINT or SIGTERM (Ctrl-C) lets running jobs finish, a second one stops at once.

Exit codes:
${EXIT_HELP}
`;
