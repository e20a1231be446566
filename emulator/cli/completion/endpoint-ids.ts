/** The ids of endpoints, for who is writing one: from the emulator that runs, if one does and answers soon. */
import { z } from "zod";
import { ServiceClient } from "../operate/service-client.ts";
import type { Environment } from "../serve/setting-values.ts";

/** A person waits for it. */
const PATIENCE_MS = 1_000;

/** None where no emulator answers. @param words the command line so far */
export async function runningEndpointIds(
  words: readonly string[],
  env: Environment,
): Promise<readonly string[]> {
  const at = words.indexOf("--url");
  const url = words.find((word) => word.startsWith("--url="))?.slice("--url=".length);
  try {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const client = new ServiceClient(url ?? (at < 0 ? undefined : words[at + 1]), env, patience);
    const endpoints = await client.get("/v1/endpoints", z.array(z.looseObject({ id: z.string() })));
    return endpoints.map(({ id }) => id);
  } catch {
    return [];
  }
}
