/** Reads the output of `ps`, one line per process. */

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly isZombie: boolean;
  readonly residentBytes: number;
  /** Seconds since 1970; undefined for a date in another form. */
  readonly startS: number | undefined;
  /** The command, followed by the environment if it is shown; empty if it was not requested. */
  readonly command: string;
}

/** A row of `ps`: pid, ppid, pgid, stat, rss, lstart as `Fri Nov 27 23:38:27 2026`, and the command if requested. */
const ROW =
  /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+\w+\s+(\w+\s+\d+\s[\d:]+\s\d+)(?:\s+(.*))?$/u;

/** Leaves out lines that are not about a process. */
export function rowsOf(printed: string): readonly ProcessRow[] {
  return printed.split("\n").flatMap((line) => {
    const [, pid, parent, group, state = "", kib, start = "", command = ""] = ROW.exec(line) ?? [];
    if (pid === undefined) return [];
    const startMs = Date.parse(`${start} UTC`);
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      isZombie: state.startsWith("Z"),
      residentBytes: Number(kib) * 1_024,
      startS: Number.isNaN(startMs) ? undefined : startMs / 1_000,
      command,
    };
  });
}
