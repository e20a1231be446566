/** The commands for completion in a shell. */
import { Argument, type Command } from "commander";
import { type Shell, SHELLS } from "./shell-script.ts";

/** Prints the script of a shell, or the candidates for the last word. */
export type Completion =
  | { readonly kind: "script"; readonly shell: Shell }
  | { readonly kind: "words"; readonly words: readonly string[] };

/** @param taken called when one of the commands was given */
export function addCompletionCommands(
  program: Command,
  taken: (completion: Completion) => void,
): void {
  program
    .command("completion")
    .summary("print the script that lets a shell complete command lines")
    .description("Prints the script that lets a shell complete command lines of sv-emulate.")
    .addArgument(new Argument("<shell>", "name of the shell").choices(SHELLS))
    .addHelpText("after", AFTER_HELP)
    .action((shell: Shell) => taken({ kind: "script", shell }));
  // The completion scripts call this command.
  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .action((words: readonly string[]) => taken({ kind: "words", words }));
}

const AFTER_HELP = `
Examples:
  source <(sv-emulate completion bash)                             in ~/.bashrc
  source <(sv-emulate completion zsh)                              in ~/.zshrc, behind compinit
  sv-emulate completion fish | source                              in ~/.config/fish/config.fish
`;
