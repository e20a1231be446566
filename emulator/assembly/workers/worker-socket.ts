/** Chooses the path of the socket for workers of this machine. The path has to be short. */
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { clearLeftovers } from "../../../runtime/leftovers/clear-leftovers.ts";
import { ownedName } from "../../../runtime/leftovers/owner.ts";
import { socketPathProblem } from "../../../runtime/protocol/environment/socket-path.ts";

/** Prefix of the directories of a run. It is short because the path of a socket has to be. */
export const TEMPORARY_DIR_KIND = "sv-e";

const NAME = "worker.sock";

/** The shortest path on every system that all users may write to. */
const SHORT_ROOT = "/tmp";

/**
 * The path of the socket in the directory of this run, or in a directory of its own below /tmp if that path is too long. That
 * directory is private, and is removed with `made`.
 *
 * @throws Error if the directory cannot be made
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
