/** Answers a shell with its completion script, or with the candidates for the word that is being typed. */
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
  const endpointIds = async (words: readonly string[]) => runningEndpointIds(words, env);
  return candidateLines(await candidates(commandTree(version), completion.words, endpointIds));
}

/** Timeout of the emulator's answer. A person waits for the completion. */
const ANSWER_LIMIT_MS = 1_000;

/** The ids of a running emulator's endpoints. None if no emulator answers in time. @param words the command line */
async function runningEndpointIds(
  words: readonly string[],
  env: Environment,
): Promise<readonly string[]> {
  const flagAt = words.indexOf("--url");
  const nextWord = flagAt < 0 ? undefined : words[flagAt + 1];
  const url = words.find((word) => word.startsWith("--url="))?.slice("--url=".length) ?? nextWord;
  try {
    // Loaded here because only completion of ids needs it.
    const { ServiceClient } = await import("../operate/service-client.ts");
    const limit = AbortSignal.timeout(ANSWER_LIMIT_MS);
    const client = new ServiceClient(url, env, limit);
    const endpoints = await client.call("listEndpoints", {});
    return endpoints.map(({ id }) => id);
  } catch {
    return [];
  }
}
