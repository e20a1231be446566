/** Chooses where the socket lies that workers of this machine connect to: its path has to be short. */
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { clearLeftovers } from "../../../runtime/leftovers/clear-leftovers.ts";
import { ownedName } from "../../../runtime/leftovers/owner.ts";
import { socketPathProblem } from "../../../runtime/protocol/socket-path.ts";

/** Begins the name of the directories of a run; short, for the path of a socket has to be. */
export const TEMPORARY_DIR_KIND = "sv-e";

const NAME = "worker.sock";

/** Every system has it, and nothing shorter that all may write to. */
const SHORT_ROOT = "/tmp";

/**
 * The path of the socket: in the directory of this run, or in one of its own below /tmp where that path would be too long. That one is
 * private, and goes with `made`.
 *
 * @throws Error when no such directory can be made
 */
export async function placeWorkerSocket(
  temporaryDir: string,
  made: AsyncDisposableStack,
  shortRoot = SHORT_ROOT,
): Promise<string> {
  const usual = join(temporaryDir, NAME);
  const problem = socketPathProblem(usual);
  if (problem === undefined) return usual;
  try {
    const directory = await mkdtemp(join(shortRoot, `${ownedName(TEMPORARY_DIR_KIND)}-`));
    made.defer(() => rm(directory, { recursive: true, force: true }));
    const leftoversCleared = clearLeftovers(shortRoot, TEMPORARY_DIR_KIND);
    made.defer(() => leftoversCleared);
    return join(directory, NAME);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${problem}; set TMPDIR to a shorter directory (${reason})`, { cause: error });
  }
}
