/** The command `repair`: its flags, its help, and its output. */
import { resolve } from "node:path";
import type { Command } from "commander";
import type { RepairReport } from "../index.ts";
import { shownPath } from "./given-path.ts";
import { DEFAULT_DATA_DIR } from "./serve/setting-values.ts";

/** The flags as written; one that was not given is absent. */
export interface RepairFlags {
  readonly dataDir?: string;
}

/** @param taken called when the command was given */
export function addRepairCommand(program: Command, taken: (flags: RepairFlags) => void): void {
  program
    .command("repair")
    .summary("make a damaged data directory usable again")
    .description(
      "Keeps the jobs, records and payloads of a data directory that are readable and undamaged. Moves everything else, and the old database, into a new directory inside it. Deletes nothing. No emulator may use the directory meanwhile.",
    )
    .option("--data-dir <directory>", `the directory to repair (default: ${DEFAULT_DATA_DIR})`)
    .action(taken);
}

/** Returns the text to print. @throws StoreInUseError, StoreUnusableError, StoreFullError */
export async function repair({ dataDir = DEFAULT_DATA_DIR }: RepairFlags, cwd: string) {
  const { repairDataDirectory } = await import("../index.ts");
  return textOf(repairDataDirectory(resolve(cwd, dataDir), Date.now()), cwd);
}

function textOf(
  { kept, endedJobIds, setAside, asideDirectory }: RepairReport,
  cwd: string,
): string {
  const { jobs, deliveries, records, payloadFiles } = kept;
  const lines = [
    `kept: ${jobs} jobs, ${deliveries} webhook deliveries, ${records} records, ${payloadFiles} payload files`,
    ...endedJobIds.map((id) => `FAILED because of lost data: job ${id}`),
    ...setAside.map((sentence) => `set aside: ${sentence}`),
    `the old database and unused files: ${shownPath(asideDirectory, cwd)}`,
  ];
  return `${lines.join("\n")}\n`;
}
