/** Port: questions to the operating system about processes and memory. All answers are synchronous. */
import fs from "node:fs";
import { LinuxSystem } from "./linux.ts";
import { PosixSystem } from "./posix.ts";

export interface System {
  /**
   * Processes with `mark`, a `NAME=value` without blanks, in their environment.
   * @param root this process or a child of it, which also has the mark: its descendants are found even if the system shows no
   *   environments
   */
  marked(mark: string, root?: number): readonly number[];

  /**
   * The start of a process, in lower-case letters and digits for `isRunning` alone. Undefined for a process that has ended, reaped or
   * not, and where the start is not known.
   */
  startOf(pid: number): string | undefined;

  /** Whether the process that began then still runs, and no later one with its number; undefined where that cannot be told. */
  isRunning(pid: number, start: string): boolean | undefined;

  /** The scope in which the id and the start of a process are unique: this boot of this machine or container. */
  scope(): string;

  /** Number of processes of this machine or container killed for lack of memory so far; undefined if unknown. */
  countOomKills(): number | undefined;

  /** What a process and its descendants have resident; pages they share count for each. Undefined when it has ended or where nothing is known. */
  residentBytes(pid: number): number | undefined;

  /** Sentences about what this system cannot tell, and the consequences. */
  untold(): readonly string[];
}

let here: System | undefined;

/** The system that this process runs on: that of Linux where there is a /proc. */
export function system(): System {
  here ??= hasProc() ? new LinuxSystem() : new PosixSystem();
  return here;
}

function hasProc(): boolean {
  try {
    return fs.readFileSync("/proc/self/stat", "latin1") !== "";
  } catch {
    return false;
  }
}
