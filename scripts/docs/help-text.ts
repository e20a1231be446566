/** The help that `sv-emulate` prints, for its reference. */
import { readCommandLine } from "../../emulator/cli/command.ts";

/** @param command a subcommand; none for the program's own help */
export function helpText(...command: readonly string[]): string {
  const answer = readCommandLine([...command, "--help"], "");
  if (answer.kind !== "answer") throw new Error("the program printed no help");
  return `\`\`\`text\n${answer.text}\`\`\``;
}
