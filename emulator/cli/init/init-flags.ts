/** The command `init`: its flags and its help. */
import type { Command } from "commander";
import { STARTERS } from "../../starter/starters.ts";

/** The flags as written; one that was not given is absent. */
export interface InitFlags {
  readonly template?: string;
  readonly dir?: string;
  readonly git?: boolean;
  readonly install?: boolean;
  readonly yes?: true;
}

/** @param taken called when the command was given */
export function addInitCommand(
  program: Command,
  taken: (name: string | undefined, flags: InitFlags) => void,
): void {
  program
    .command("init")
    .summary("create a project from a starter")
    .description(
      "Creates a project from a starter: a handler or server with its schema, test, config, Dockerfile and README. In a terminal it asks for the choices that are not given.",
    )
    .argument("[name]", "name of the project and its endpoint (default: the directory name)")
    .option("--template <starter>", "which starter (default: hello)")
    .option("--dir <directory>", "directory of the project (default: its name)")
    .option("--git", "make it a Git repository, unless it is in one")
    .option("--no-git", "make no Git repository, and do not ask")
    .option("--install", "install its packages with npm")
    .option("--no-install", "install no packages, and do not ask")
    .option("--yes", "ask nothing and use the defaults")
    .addHelpText("after", AFTER_HELP)
    .action((name: string | undefined, flags: InitFlags) => taken(name, flags));
}

const STARTERS_HELP = Object.entries(STARTERS)
  .map(([name, shows]) => `  ${name.padEnd(13)}  ${shows}`)
  .join("\n");

const AFTER_HELP = `
Starters:
${STARTERS_HELP}

Examples:
  sv-emulate init                                       asks
  sv-emulate init greeter --template hello --install    the project greeter in ./greeter
  sv-emulate init --dir . --template openai-chat --yes  one in this directory, by its name

Nothing is overwritten: where a file of the project exists already, it is named and nothing is written.
Where there is no terminal, nothing is asked.
`;
