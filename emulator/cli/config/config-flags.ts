/** The commands `config` and `export`: their flags and their help. */
import type { Command } from "commander";
import { ENVIRONMENT_HELP, urlOption } from "../operate/commands.ts";
import type { Flags } from "../serve/settings.ts";

export interface ConfigInvocation {
  readonly kind: "config";
  readonly targets: readonly string[];
  readonly flags: ConfigFlags;
}

/** The flags as written; one that was not given is absent. */
export interface ConfigFlags extends Flags {
  readonly json?: true;
}

export interface ExportFlags {
  readonly url?: string;
  readonly ts?: true;
  readonly out?: string;
}

/**
 * @param command has the targets and options of a start already
 * @param taken called when the command was given
 */
export function finishConfigCommand(
  command: Command,
  taken: (targets: readonly string[], flags: ConfigFlags) => void,
): void {
  command
    .summary("print the settings of a start and their sources")
    .description(
      "Reads the targets, the environment and the options as a start would, and prints each setting with its source. Starts nothing. Secrets are not shown.",
    )
    .option("--json", "as JSON, for programs")
    .action(() => taken(command.args, command.opts<ConfigFlags>()));
}

/** @param taken called when the command was given */
export function addExportCommand(program: Command, taken: (flags: ExportFlags) => void): void {
  program
    .command("export")
    .summary("write the resources of an emulator as a config")
    .description(
      "Writes the endpoints, templates, network volumes and registry auths of a running emulator as a config. A start with it makes the same ones. Secrets are written as references to environment variables.",
    )
    .addOption(urlOption())
    .option("--ts", "as TypeScript (default: JSON)")
    .option("--out <file>", "a new file for it (default: stdout)")
    .addHelpText("after", EXPORT_HELP)
    .action(taken);
}

const EXPORT_HELP = `${ENVIRONMENT_HELP}

Examples:
  sv-emulate export > sv.config.json
  sv-emulate export --ts --out sv.config.ts
`;
