/** A small file system for tests of full disks. Mounting it needs root on Linux. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { partsAreRequired } from "./required-parts.ts";
import { temporaryDirectory, type TemporaryDirectory } from "./temporary-directory.ts";

/**
 * Reason that tests on a small file system are left out here; undefined if they run. Under CI on Linux they always
 * run, and fail if nothing can be mounted.
 */
export const tmpfsIsMissing: string | undefined = partsAreRequired() ? undefined : tryOut();
if (tmpfsIsMissing !== undefined) {
  console.warn(`tests of full disks are left out: ${tmpfsIsMissing}`);
}

/**
 * Mounts an empty file system that holds `sizeBytes`.
 * @throws Error if that is not possible here.
 */
export function mountTmpfs(sizeBytes: number): TemporaryDirectory {
  const point = temporaryDirectory();
  try {
    const options = `size=${sizeBytes},mode=0700`;
    execFileSync("/bin/mount", ["-t", "tmpfs", "-o", options, "sv-test", point.path], {
      stdio: "pipe",
    });
  } catch (error) {
    point[Symbol.dispose]();
    throw new Error("no tmpfs could be mounted; this takes root on Linux", { cause: error });
  }
  return {
    path: point.path,
    [Symbol.dispose]() {
      execFileSync("/bin/umount", [point.path], { stdio: "pipe" });
      fs.rmdirSync(point.path);
    },
  };
}

function tryOut(): string | undefined {
  try {
    mountTmpfs(65_536)[Symbol.dispose]();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
