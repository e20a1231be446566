/** The path at which tests read processes, even if the programs that they run have no /proc. */
import fs from "node:fs";

/** The path of /proc while an empty directory is in its place: see without-proc.ts. */
export const KEPT_PROC = "/run/sv-test-proc";

export const isWithoutProc = fs.existsSync(`${KEPT_PROC}/self/stat`);

export const PROC = isWithoutProc ? KEPT_PROC : "/proc";

/** Resident memory of this process, which Node reads in /proc on Linux. */
export function ownResidentBytes(): number {
  if (!isWithoutProc) return process.memoryUsage.rss();
  const status = fs.readFileSync(`${PROC}/self/status`, "latin1");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}
