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
  const ids = async (words: readonly string[]) => runningEndpointIds(words, env);
  return candidateLines(await candidates(commandTree(version), completion.words, ids));
}

/** A person waits for it. */
const PATIENCE_MS = 1_000;

/** Of the emulator that runs; none where none answers soon. @param words the command line so far */
async function runningEndpointIds(
  words: readonly string[],
  env: Environment,
): Promise<readonly string[]> {
  const at = words.indexOf("--url");
  const url = words.find((word) => word.startsWith("--url="))?.slice("--url=".length);
  try {
    // Loaded only where an id is written: a person waits for whatever else is offered.
    const [{ ServiceClient }, { z }] = await Promise.all([
      import("../operate/service-client.ts"),
      import("zod"),
    ]);
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const client = new ServiceClient(url ?? (at < 0 ? undefined : words[at + 1]), env, patience);
    const endpoints = await client.get("/v1/endpoints", z.array(z.looseObject({ id: z.string() })));
    return endpoints.map(({ id }) => id);
  } catch {
    return [];
  }
}
