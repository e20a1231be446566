/** How much memory a process and its descendants have resident, as Linux tells; pages they share count for each. */
import fs from "node:fs";

/** More processes than a worker should have are not counted. */
const PROCESSES_MAX = 100;

/** Undefined where nothing is known: on other systems, and when the process has ended. */
export function residentBytes(pid: number): number | undefined {
  let sum: number | undefined;
  const pids = [pid];
  for (let at = 0; at < pids.length && at < PROCESSES_MAX; at += 1) {
    const one = pids[at] ?? 0;
    const [, kib] = /^VmRSS:\s+(\d+) kB$/mu.exec(read(`/proc/${one}/status`)) ?? [];
    if (kib !== undefined) sum = (sum ?? 0) + Number(kib) * 1_024;
    // Node starts processes from its first thread.
    for (const child of read(`/proc/${one}/task/${one}/children`).split(" "))
      if (child !== "") pids.push(Number(child));
  }
  return sum;
}

function read(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
