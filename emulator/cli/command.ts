/** The command line of `sv-emulate`: its commands, flags and help, and its parser. */
import { Command, Help, CommanderError } from "commander";
import { addBuildCommand, type BuildFlags } from "./build/build-flags.ts";
import { addCompletionCommands, type Completion } from "./completion/completion-flags.ts";
import { addOperateCommands, type GivenCommand } from "./operate/commands.ts";
import { addDoctorCommand, type DoctorFlags } from "./doctor.ts";
import { addExecCommand, type ExecFlags, splitCommand } from "./exec/exec-flags.ts";
import { addInitCommand, type InitFlags } from "./init/init-flags.ts";
import { addMoveCommand, addRotateCommand, type MoveFlags, type RotateFlags } from "./move.ts";
import { addRepairCommand, type RepairFlags } from "./repair.ts";
import { DASHBOARD_MODES } from "../core/access/dashboard-mode.ts";
import { LIMIT_MODES } from "../core/limits/rate-limit.ts";
import {
  addExportCommand,
  type ConfigInvocation,
  type ExportFlags,
  finishConfigCommand,
} from "./config/config-flags.ts";
import { EXIT_MEANINGS } from "./exit-code.ts";
import { CONFIG_NAME } from "./given-path.ts";
import { type Flags } from "./serve/settings.ts";
import { addServiceOptions } from "./serve/service-options.ts";
import { S3_OFF } from "./serve/setting-values.ts";
import { UsageError } from "./usage-error.ts";

/** A parsed command line: a start, another command, or a text to print (the help or the version). */
export type Invocation =
  | ConfigInvocation
  | { readonly kind: "export"; readonly flags: ExportFlags }
  | { readonly kind: "build"; readonly target: string | undefined; readonly flags: BuildFlags }
  | {
      readonly kind: "exec";
      readonly targets: readonly string[];
      readonly flags: ExecFlags;
      /** The program and its arguments. */
      readonly command: readonly string[];
    }
  | { readonly kind: "doctor"; readonly uses: readonly string[]; readonly flags: DoctorFlags }
  | { readonly kind: "init"; readonly name: string | undefined; readonly flags: InitFlags }
  | { readonly kind: "repair"; readonly flags: RepairFlags }
  | { readonly kind: "move"; readonly flags: MoveFlags }
  | { readonly kind: "rotate"; readonly flags: RotateFlags }
  | { readonly kind: "serve"; readonly targets: readonly string[]; readonly flags: Flags }
  | { readonly kind: "operate"; readonly command: GivenCommand }
  | { readonly kind: "complete"; readonly completion: Completion }
  | { readonly kind: "answer"; readonly text: string };

const DEFAULT_HELP_WIDTH = 100;

/** Accepted as the first word, for users of other tools. It changes nothing. */
const DEV = "dev";

/**
 * Reads the arguments after the program's name.
 *
 * @throws UsageError for an invalid command line
 */
export function readCommandLine(
  args: readonly string[],
  version: string,
  helpWidth = DEFAULT_HELP_WIDTH,
): Invocation {
  let text = "";
  let invocation: Invocation | undefined;
  const { own, command: child } = splitCommand(args);
  const command = createCommand(version)
    .action(() => {
      const targets = command.args[0] === DEV ? command.args.slice(1) : command.args;
      // `watch` is true unless --no-watch was given.
      const { watch, ...flags } = command.opts<Flags>();
      invocation = { kind: "serve", targets, flags: watch === false ? { ...flags, watch } : flags };
    })
    .configureHelp({ visibleCommands: listed })
    .exitOverride()
    .configureOutput({
      writeOut: (piece) => (text += piece),
      writeErr: (piece) => (text += piece),
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
    });
  // Commands that are added after the configuration above inherit it.
  addCommands(command, child, (given) => (invocation = given));
  try {
    command.parse(own, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: "answer", text };
    throw new UsageError(text.replace(/^error: /, "").trim(), { cause: error });
  }
  if (invocation === undefined) throw new Error("the command line asks for nothing");
  return invocation;
}

/** The whole tree of commands, for completion and tests. */
export function commandTree(version: string): Command {
  const command = createCommand(version);
  addCommands(command, [], () => undefined);
  return command;
}

/** @param child the command that `exec` runs */
function addCommands(
  command: Command,
  child: readonly string[],
  taken: (invocation: Invocation) => void,
): void {
  addBuildCommand(command, (target, flags) => taken({ kind: "build", target, flags }));
  const config = addServiceOptions(command.command("config"));
  finishConfigCommand(config, (targets, flags) => taken({ kind: "config", targets, flags }));
  addDoctorCommand(command, (uses, flags) => taken({ kind: "doctor", uses, flags }));
  addExportCommand(command, (flags) => taken({ kind: "export", flags }));
  addExecCommand(command, (targets, flags) =>
    taken({ kind: "exec", targets, flags, command: child }),
  );
  addInitCommand(command, (name, flags) => taken({ kind: "init", name, flags }));
  addRepairCommand(command, (flags) => taken({ kind: "repair", flags }));
  addMoveCommand(command, (flags) => taken({ kind: "move", flags }));
  addRotateCommand(command, (flags) => taken({ kind: "rotate", flags }));
  addOperateCommands(command, (given) => taken({ kind: "operate", command: given }));
  addCompletionCommands(command, (completion) => taken({ kind: "complete", completion }));
}

/** Lists `dev` among the commands. It is no command of commander's, because it takes all flags of a start. */
function listed(command: Command): Command[] {
  const commands = new Help().visibleCommands(command);
  if (command.parent !== null || commands.length === 0) return commands;
  const dev = new Command(DEV)
    .summary("the same as without a command")
    .arguments("[options] [targets...]");
  return [...commands, dev].toSorted((a, b) => a.name().localeCompare(b.name()));
}

function createCommand(version: string): Command {
  return (
    addServiceOptions(new Command("sv-emulate"))
      .option(
        "--no-watch",
        "do not reload handlers when their files change (default: reload on every save)",
      )
      .option(
        "--poll",
        "poll the files of handlers, where saves are not noticed (default: on file systems that do not report all changes)",
      )
      .option("--open", "open the dashboard in a browser once the service is ready")
      // Options behind a command are the command's.
      .enablePositionalOptions()
      .helpCommand(false)
      .summary("serve handlers on this machine")
      .description(
        "Serves handlers as queue-based endpoints on this machine, and HTTP servers as load balancing ones: HTTP in front, a durable queue, workers behind.",
      )
      .usage("[options] [targets...]\n       sv-emulate <command> [options] [arguments...]")
      .version(version, "-v, --version", "print the version")
      .helpOption("-h, --help", "print this help")
      .addHelpText("after", AFTER_HELP)
  );
}

const EXIT_HELP = Object.entries(EXIT_MEANINGS)
  .map(([code, meaning]) => `  ${code.padEnd(4)} ${meaning}`)
  .join("\n");

const AFTER_HELP = `
Environment (flags win):
  SV_PORT            port to listen on
  SV_ALLOWED_HOSTS   as --allowed-host, with commas between several
  SV_ALLOWED_ORIGINS as --allowed-origin, with commas between several
  SV_TRUST_PROXY     as --trust-proxy
  SV_TLS_CERT, SV_TLS_KEY
                     as --tls-cert and --tls-key
  SV_WORKER_PORT, SV_WORKER_ADDRESS
                     as --worker-port and --worker-address
  SV_S3_PORT         port of the object store, or ${S3_OFF}
  SV_STORE           as --store, without showing it in the list of processes
  SV_OBJECTS         as --objects; without keys in it, the bucket's keys are those in AWS_ACCESS_KEY_ID and
                     AWS_SECRET_ACCESS_KEY
  SV_ADVERTISE, SV_INSECURE_REPLICAS
                     as --advertise and --insecure-replicas
  SV_GPUS            the GPUs, as --gpus
  SV_DOCKER          auto or off, as --docker
  SV_KUBERNETES      a namespace, as --kubernetes
  SV_LIMITS          ${LIMIT_MODES.join(", ")}: as --limits
  SV_DASHBOARD       ${DASHBOARD_MODES.join(", ")}: as --dashboard
  SV_API_KEY         the API key to accept; replaces the one in the data directory
  SV_ADMIN_KEY       the key for /emulator, the emulator's own operations; by default the API key opens them too
  SV_SECRET_KEY      the key that encrypts stored secrets, 32 bytes in base64; default: secret.key in the data
                     directory; with --store one of the two is required
  SV_WEBHOOK_SECRET  the secret that signs webhook calls (whsec_…); default: one is made and kept
  SV_DEBUG           1 adds the stack to errors
  DOCKER_HOST        where the Docker engine listens (default: unix:///var/run/docker.sock)
  NO_COLOR           any value turns colours off

Examples:
  sv-emulate hello.ts              the endpoint "hello"
  sv-emulate examples              an endpoint for each directory in it with a handler
  sv-emulate ../a/handler.ts b.js  the endpoints "a" and "b", wherever they lie
  sv-emulate ${CONFIG_NAME}        endpoints with settings of their own
  sv-emulate --ephemeral --port 0  the current directory, nothing kept, any free port
  sv-emulate exec -- npm test      the current directory for as long as the command runs

A line on stdout that begins "ready http" says that it can be called.
The first SIGINT or SIGTERM (Ctrl-C) lets running jobs finish, a second one stops at once.

Exit codes:
${EXIT_HELP}
`;
