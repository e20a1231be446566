/** The commands for a running emulator as a table: their arguments, options and help. */
import { type Command, Option } from "commander";
import { JOB_STATUSES, type JobStatus } from "../../../runtime/protocol/job-status.ts";
import { MADE_SCOPES, type MadeScope } from "../../core/access/api-key.ts";
import { DELIVERY_STATES, type DeliveryState } from "../../core/webhooks/delivery.ts";
import { DEFAULT_HOST, DEFAULT_PORT } from "../serve/setting-values.ts";

export const DEFAULT_URL = `http://${DEFAULT_HOST}:${DEFAULT_PORT}`;

/** The options as written; one that was not given is absent. */
export interface CommandFlags {
  readonly url?: string;
  readonly json?: true;
  readonly status?: JobStatus;
  readonly limit?: string;
  readonly yes?: true;
  readonly follow?: true;
  readonly tail?: string;
  /** True: the newest job, whatever its status. */
  readonly last?: true | "failed";
  readonly save?: string;
  readonly advance?: string;
  readonly endpoint?: string;
  readonly state?: DeliveryState;
  readonly redeliver?: true;
  readonly from?: string;
  readonly scope?: MadeScope;
  readonly name?: string;
  /** Ids, separated by commas. */
  readonly endpoints?: string;
  readonly expires?: string;
  readonly wait?: string;
  readonly stream?: true;
  readonly sync?: true;
  readonly policy?: string;
}

export type CommandName = (typeof COMMANDS)[number]["name"];

export interface GivenCommand {
  readonly name: CommandName;
  /** The argument: an endpoint, a job, a delivery, a name, a key or a duration. */
  readonly subject: string | undefined;
  /** The second argument, which only `run` has: the input of a job. */
  readonly input?: string | undefined;
  readonly flags: CommandFlags;
}

type OptionRow = readonly [flags: string, description: string, choices?: readonly string[]];

const LIMIT: OptionRow = ["--limit <number>", "maximum number, 1 to 100 (default: 20)"];
const LAST: OptionRow = [
  "--last [failed]",
  "the newest job, or the newest that failed",
  ["failed"],
];
const EXPIRES: OptionRow = [
  "--expires <duration>",
  "its lifetime, for example 30d (default: until it is revoked)",
];

const ARGUMENT_HELP = {
  "[endpoint]": "id of an endpoint",
  "<endpoint>": "id of an endpoint",
  "[id]": "id of a job, or the end of it as the log shows it",
  "<id>": "id of a job, or the end of it as the log shows it",
  "[delivery]": "id of a delivery, or of its job; default: all deliveries",
  "[input]": "its input as JSON, @ and a file, or - for standard input (default: {})",
  "<name>": "its unique name, which the audit shows",
  "<key>": "its id or name",
  "[duration]": "by how much, for example +31m or 1h30m",
} as const;

interface CommandRow {
  /** Two words: a group and a command in it. */
  readonly name: string;
  readonly argument?: keyof typeof ARGUMENT_HELP;
  readonly second?: keyof typeof ARGUMENT_HELP;
  readonly summary: string;
  readonly options?: readonly OptionRow[];
}

const COMMANDS = [
  { name: "open", summary: "print a link that opens the dashboard of a running emulator" },
  { name: "endpoints", summary: "list the endpoints of a running emulator" },
  { name: "workers", argument: "[endpoint]", summary: "list the workers of a running emulator" },
  {
    name: "jobs",
    argument: "[endpoint]",
    summary: "list the newest jobs of a running emulator",
    options: [["--status <status>", "only jobs in this status", JOB_STATUSES], LIMIT],
  },
  {
    name: "job",
    argument: "[id]",
    summary: "show one job in full, or save it as a file",
    options: [
      LAST,
      ["--save <file>", "write the job to a file for run --from, without credentials"],
    ],
  },
  {
    name: "why",
    argument: "[id]",
    summary: "explain why a job failed or is waiting",
    options: [LAST],
  },
  {
    name: "run",
    argument: "[endpoint]",
    second: "[input]",
    summary: "run a job, and print its output",
    options: [
      ["--stream", "print each chunk as a line, as soon as it comes"],
      ["--sync", "by /runsync, whose jobs are kept for a minute only"],
      ["--policy <json>", 'limits of the job, like {"executionTimeout":60000,"ttl":600000}'],
      ["--from <file>", "a saved job, as job --save writes it, with the default endpoint"],
    ],
  },
  { name: "cancel", argument: "<id>", summary: "end a job that waits or runs" },
  { name: "retry", argument: "<id>", summary: "queue a failed or timed out job again" },
  {
    name: "purge",
    argument: "<endpoint>",
    summary: "remove the jobs that wait in a queue",
    options: [["--yes", "do not ask"]],
  },
  {
    name: "webhooks",
    argument: "[delivery]",
    summary: "list webhook deliveries, show one, or send it again",
    options: [
      ["--endpoint <id>", "only deliveries of one endpoint"],
      ["--state <state>", "only deliveries in this state", DELIVERY_STATES],
      LIMIT,
      ["--redeliver", "send the given delivery again, with the same id and body"],
    ],
  },
  {
    name: "clock",
    argument: "[duration]",
    summary: "show service time, advance it, or hold deletions",
    options: [["--advance <duration>", "the same as the argument"]],
  },
  {
    name: "keys create",
    argument: "<name>",
    summary: "make a key, and show it once",
    options: [
      [
        "--scope <scope>",
        "what it allows: everything, only reading, jobs of some endpoints, everything but jobs and keys, or the calls of an endpoint's workers",
        MADE_SCOPES,
      ],
      [
        "--endpoints <ids>",
        "with --scope jobs: the endpoints, separated by commas; with --scope workers: the endpoint",
      ],
      EXPIRES,
    ],
  },
  { name: "keys list", summary: "list the keys that were made" },
  { name: "keys revoke", argument: "<key>", summary: "revoke a key" },
  {
    name: "token create",
    argument: "<endpoint>",
    summary: "make a token for workers from elsewhere, and show it once",
    options: [["--name <name>", "its name (default: the endpoint's id and -workers)"], EXPIRES],
  },
  { name: "token list", summary: "list the tokens that were made" },
  {
    name: "token revoke",
    argument: "<key>",
    summary: "revoke a token, and disconnect its workers",
  },
  {
    name: "audit",
    summary: "list who changed what, the newest change first",
    options: [LIMIT],
  },
  { name: "replicas", summary: "list the emulators that share the database" },
  {
    name: "ready",
    summary: "ask whether a running emulator can be called, or wait until it can",
    options: [["--wait <duration>", "how long to wait for it, for example 30s"]],
  },
  {
    name: "logs",
    argument: "[endpoint]",
    summary: "show the log of a running emulator",
    options: [
      ["-f, --follow", "follow new lines until Ctrl-C"],
      ["--tail <number>", "number of kept lines, 0 to 2000 (default: all)"],
    ],
  },
] as const satisfies readonly CommandRow[];

const GROUPS: ReadonlyMap<string, string> = new Map([
  ["keys", "make, list and revoke API keys of a running emulator"],
  ["token", "make, list and revoke tokens of workers from elsewhere"],
]);

/** @param taken called when one of the commands was given */
export function addOperateCommands(program: Command, taken: (command: GivenCommand) => void): void {
  for (const row of COMMANDS) {
    const { name, summary, options = [], ...rest }: CommandRow & Pick<GivenCommand, "name"> = row;
    const [first = "", second] = name.split(" ");
    const parent = second === undefined ? program : groupOf(program, first);
    const command = described(parent, second ?? first, summary);
    for (const argument of [rest.argument, rest.second])
      if (argument !== undefined) command.argument(argument, ARGUMENT_HELP[argument]);
    for (const [flags, description, choices] of options) {
      const option = new Option(flags, description);
      if (choices !== undefined) option.choices(choices);
      command.addOption(option.makeOptionMandatory(flags.startsWith("--scope")));
    }
    command
      .addOption(urlOption())
      .option("--json", name === "logs" ? "a JSON object a line" : "the answer as one JSON value")
      .addHelpText("after", AFTER_HELP)
      .action(() => {
        const [subject, input] = command.args;
        taken({ name, subject, input, flags: command.opts<CommandFlags>() });
      });
  }
}

function groupOf(program: Command, name: string): Command {
  const known = program.commands.find((command) => command.name() === name);
  return known ?? described(program, name, GROUPS.get(name) ?? name).helpCommand(false);
}

function described(parent: Command, name: string, summary: string): Command {
  return parent
    .command(name, { isDefault: name === "list" })
    .summary(summary)
    .description(`${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`);
}

export function urlOption(): Option {
  return new Option("--url <url>", `URL of the emulator (default: $SV_URL, or ${DEFAULT_URL})`);
}

/** Help about the environment of commands for a running emulator. */
export const ENVIRONMENT_HELP = `
Environment:
  SV_URL        URL of the emulator, as --url
  SV_API_KEY    its API key
  SV_ADMIN_KEY  its admin key, for /emulator, if it has one`;

const AFTER_HELP = `${ENVIRONMENT_HELP}
  NODE_EXTRA_CA_CERTS
                a PEM file with the authority of its certificate, if that is your own
  NO_COLOR      any value turns colours off

Exit codes:
  0    done
  2    wrong usage
  6    no emulator answers at that address
  7    refused: wrong key, unknown id, or wrong state; ready: not ready
  8    run: the job failed, timed out or was cancelled
  130  interrupted by Ctrl-C
`;
