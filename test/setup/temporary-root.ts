/** The directory of all temporary files of a test run. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { clearLeftovers } from "../../runtime/leftovers/clear-leftovers.ts";
import { ownedName } from "../../runtime/leftovers/owner.ts";
import { IS_FULL } from "./size.ts";

/** A file system in memory, if the system has one: nothing waits for the disk there. */
const SHARED_MEMORY = "/dev/shm";

/** Size: more than all temporary files of a run need together. */
const ROOM_BYTES = 4 * 1024 ** 3;

/** Short, because the paths of sockets are bounded. */
const KIND = "sv";

/**
 * Makes a directory in memory that goes with this process, and removes those of killed runs. The system's directory
 * if memory is scarce or runs no programs, and in a full run, which must wait for a disk.
 */
export async function temporaryRoot(): Promise<string> {
  if (IS_FULL || !hasRoom()) return os.tmpdir();
  await clearLeftovers(SHARED_MEMORY, KIND);
  const root = path.join(SHARED_MEMORY, `${ownedName(KIND)}-t`);
  fs.mkdirSync(root, { recursive: true });
  const program = path.join(root, "program");
  fs.writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
  const runsPrograms = spawnSync(program).status === 0;
  const remove = (): void => fs.rmSync(root, { recursive: true, force: true });
  if (runsPrograms) process.once("exit", remove);
  else remove();
  return runsPrograms ? root : os.tmpdir();
}

function hasRoom(): boolean {
  if (!fs.existsSync(SHARED_MEMORY)) return false;
  const { bavail, bsize } = fs.statfsSync(SHARED_MEMORY);
  return Math.min(bavail * bsize, process.availableMemory()) > ROOM_BYTES;
}
