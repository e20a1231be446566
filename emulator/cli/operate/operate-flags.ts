/** The subcommands for a running emulator: their arguments, flags and help. */
import { type Command, Option } from "commander";
import { JOB_STATUSES, type JobStatus } from "../../../runtime/protocol/job-status.ts";
import { MADE_SCOPES, type MadeScope } from "../../core/access/api-key.ts";
import { DELIVERY_STATES, type DeliveryState } from "../../core/webhooks/delivery.ts";
import { DEFAULT_HOST, DEFAULT_PORT } from "../serve/setting-values.ts";

export const DEFAULT_URL = `http://${DEFAULT_HOST}:${DEFAULT_PORT}`;

/** The flags as written; what is absent was not given. */
export interface OperateFlags {
  readonly url?: string;
  readonly json?: true;
  readonly status?: JobStatus;
  readonly limit?: string;
  readonly yes?: true;
  readonly follow?: true;
  readonly tail?: string;
  /** True: whatever became of it. */
  readonly last?: true | "failed";
  readonly save?: string;
  readonly advance?: string;
  readonly endpoint?: string;
  readonly state?: DeliveryState;
  readonly redeliver?: true;
  readonly from?: string;
  readonly scope?: MadeScope;
  readonly name?: string;
  /** With commas between several. */
  readonly endpoints?: string;
  readonly expires?: string;
  readonly wait?: string;
}

export type OperateName = (typeof COMMANDS)[number]["name"];

/** One of the subcommands, as it was given. */
export interface Operation {
  readonly name: OperateName;
  /** What it concerns: an endpoint, a job, a delivery, or by how much the clock is advanced; some may go without. */
  readonly subject: string | undefined;
  readonly flags: OperateFlags;
}

const COMMANDS = [
  { name: "open", summary: "print a link that opens the dashboard of a running emulator" },
  { name: "endpoints", summary: "list the endpoints of a running emulator" },
  { name: "workers", argument: "[endpoint]", summary: "list the workers of a running emulator" },
  { name: "jobs", argument: "[endpoint]", summary: "list the newest jobs of a running emulator" },
  { name: "job", argument: "[id]", summary: "show all of one job, or save it as a file" },
  { name: "why", argument: "[id]", summary: "say in one paragraph why a job failed, or waits" },
  { name: "run", argument: "[endpoint]", summary: "run a job that was saved, and show its end" },
  { name: "cancel", argument: "<id>", summary: "end a job that waits or runs" },
  { name: "retry", argument: "<id>", summary: "queue a job again that failed or timed out" },
  { name: "purge", argument: "<endpoint>", summary: "remove the jobs that wait in a queue" },
  {
    name: "webhooks",
    argument: "[delivery]",
    summary: "list webhook deliveries, show one, or send it again",
  },
  {
    name: "clock",
    argument: "[duration]",
    summary: "show service time, advance it, or hold deletions",
  },
  { name: "keys create", argument: "<name>", summary: "make a key, and show it once" },
  { name: "keys list", summary: "list the keys that were made" },
  { name: "keys revoke", argument: "<key>", summary: "revoke a key: it opens nothing any more" },
  {
    name: "token create",
    argument: "<endpoint>",
    summary: "make a token for workers from elsewhere, and show it once",
  },
  { name: "token list", summary: "list the tokens that were made" },
  {
    name: "token revoke",
    argument: "<key>",
    summary: "revoke a token: its workers are sent away",
  },
  { name: "audit", summary: "list who changed what, the newest change first" },
  { name: "replicas", summary: "list the emulators that share the database, and what each has" },
  { name: "ready", summary: "ask whether a running emulator can be called, or wait until it can" },
  { name: "logs", argument: "[endpoint]", summary: "show the log of a running emulator" },
] as const satisfies readonly { name: string; argument?: string; summary: string }[];

/** @param taken called when one of the subcommands was given */
export function addOperateCommands(program: Command, taken: (operation: Operation) => void): void {
  for (const { name, summary, ...rest } of COMMANDS) {
    const [first = "", second] = name.split(" ");
    const command = (second === undefined ? program : groupOf(program, first))
      .command(second ?? first, { isDefault: second === "list" })
      .summary(summary)
      .description(`${sentence(summary)}.`);
    const argument = "argument" in rest ? rest.argument : undefined;
    if (argument !== undefined) command.argument(argument, ARGUMENT_HELP[argument]);
    addOptions(name, command)
      .option("--url <url>", `where the emulator is called (default: $SV_URL, or ${DEFAULT_URL})`)
      .option("--json", name === "logs" ? "a JSON object a line" : "the answer as one JSON value")
      .addHelpText("after", AFTER_HELP)
      .action(() => taken({ name, subject: command.args[0], flags: command.opts<OperateFlags>() }));
  }
}

const GROUPS: ReadonlyMap<string, string> = new Map([
  ["keys", "make, list and revoke API keys of a running emulator"],
  ["token", "make, list and revoke tokens of workers from elsewhere"],
]);

/** What the first word of two leads to. */
function groupOf(program: Command, name: string): Command {
  const known = program.commands.find((command) => command.name() === name);
  const summary = GROUPS.get(name) ?? name;
  return (
    known ??
    program
      .command(name)
      .helpCommand(false)
      .summary(summary)
      .description(`${sentence(summary)}.`)
  );
}

const ARGUMENT_HELP = {
  "[endpoint]": "id of an endpoint",
  "<endpoint>": "id of an endpoint",
  "[id]": "id of a job, or the end of it as the log shows it",
  "<id>": "id of a job, or the end of it as the log shows it",
  "[delivery]": "id of a delivery, or of the job it tells of; default: all of them",
  "<name>": "what it is called, in the audit too; no other key has the name",
  "<key>": "its id or name",
  "[duration]": "by how much, for example +31m or 1h30m",
} as const;

function addOptions(name: OperateName, command: Command): Command {
  switch (name) {
    case "jobs":
      return command
        .addOption(
          new Option("--status <status>", "only jobs in this status").choices(JOB_STATUSES),
        )
        .option("--limit <number>", "how many, 1 to 100 (default: 20)");
    case "job":
      return command
        .addOption(lastOption())
        .option("--save <file>", "write it to a file that run --from takes, without credentials");
    case "why":
      return command.addOption(lastOption());
    case "run":
      return command.option(
        "--from <file>",
        "the job, as job --save writes it; by default it runs on the endpoint of that name",
      );
    case "webhooks":
      return command
        .option("--endpoint <id>", "only those of one endpoint")
        .addOption(
          new Option("--state <state>", "only those in this state").choices(DELIVERY_STATES),
        )
        .option("--limit <number>", "how many, 1 to 100 (default: 20)")
        .option("--redeliver", "send the one that is named again, with the same id and body");
    case "keys create":
      return addKeyOptions(command);
    case "token create":
      return command
        .option("--name <name>", "what it is called (default: the endpoint, and -workers)")
        .option(...EXPIRES);
    case "audit":
      return command.option("--limit <number>", "how many, 1 to 100 (default: 20)");
    case "clock":
      return command.option("--advance <duration>", "the same as the argument");
    case "ready":
      return command.option("--wait <duration>", "how long to wait for it, for example 30s");
    case "purge":
      return command.option("--yes", "do not ask");
    case "logs":
      return command
        .option("-f, --follow", "go on with what comes, until Ctrl-C")
        .option("--tail <number>", "how many of the kept lines, 0 to 2000 (default: all)");
    default:
      return command;
  }
}

function addKeyOptions(command: Command): Command {
  const scope = new Option(
    "--scope <scope>",
    "what it opens: everything, what changes nothing, jobs of some endpoints, what is no job and no key, or what workers of an endpoint call",
  );
  return command
    .addOption(scope.choices(MADE_SCOPES).makeOptionMandatory())
    .option(
      "--endpoints <ids>",
      "with --scope jobs: the endpoints, with commas between several; with --scope workers: the one",
    )
    .option(...EXPIRES);
}

const EXPIRES = [
  "--expires <duration>",
  "how long it is good, for example 30d (default: until it is revoked)",
] as const;

function lastOption(): Option {
  return new Option("--last [failed]", "the newest job, or the newest that failed").choices([
    "failed",
  ]);
}

const AFTER_HELP = `
Environment:
  SV_URL        where the emulator is called, as --url
  SV_API_KEY    its API key
  SV_ADMIN_KEY  its key for /emulator, where it has one of its own
  NODE_EXTRA_CA_CERTS
                a file in PEM with the authority of its certificate, where that is one of your own
  NO_COLOR      anything turns colours off

Exit codes:
  0    done
  2    wrong usage
  6    no emulator answers at that address
  7    the emulator refused: a wrong key, nothing of that id, or not possible in that state; ready: it is not
  8    run: the job failed, timed out or was cancelled
  130  broken off by Ctrl-C
`;

function sentence(summary: string): string {
  return summary.slice(0, 1).toUpperCase() + summary.slice(1);
}
