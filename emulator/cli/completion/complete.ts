/** Answers a shell: its script, or how the command line that is being written may go on. */
import { commandTree } from "../command.ts";
import type { Environment } from "../serve/setting-values.ts";
import { candidateLines, candidates } from "./candidates.ts";
import type { Completion } from "./completion-flags.ts";
import { shellScript } from "./shell-script.ts";

export async function complete(
  completion: Completion,
  version: string,
  env: Environment,
): Promise<string> {
  if (completion.kind === "script") return shellScript(completion.shell);
  const endpointIds = async (words: readonly string[]) => {
    const { runningEndpointIds } = await import("./endpoint-ids.ts");
    return runningEndpointIds(words, env);
  };
  return candidateLines(await candidates(commandTree(version), completion.words, endpointIds));
}
