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
   * The start of a process, in lower-case letters and digits, for `isRunning` only. Undefined if the process has ended, even if
   * it is not reaped yet, or if its start is unknown.
   */
  startOf(pid: number): string | undefined;

  /**
   * Whether the process with this id and start still runs; undefined if unknown. A later process with the same id does not
   * count.
   */
  isRunning(pid: number, start: string): boolean | undefined;

  /**
   * As `isRunning`, but cheap enough to ask often. Without /proc a zombie, or a later process with the same id, counts as well.
   */
  mayRun(pid: number, start: string): boolean;

  /**
   * The nearest ancestor of this process that lacks one of the marks in its environment, except the first process of all. It
   * started the program that set them. Ancestors with a hidden environment are skipped.
   * @param marks `NAME=value` each, with any characters
   */
  unmarkedAncestor(marks: readonly string[]): number | undefined;

  /** The scope in which the id and the start of a process are unique: this boot of this machine or container. */
  scope(): string;

  /** Number of processes of this machine or container killed for lack of memory so far; undefined if unknown. */
  countOomKills(): number | undefined;

  /**
   * Resident memory of a process and its descendants. Shared pages count for each process. Undefined if the process has ended,
   * or if the size is unknown.
   */
  residentBytes(pid: number): number | undefined;

  /** Sentences about missing facilities of this system, with their consequences. */
  untold(): readonly string[];
}

let here: System | undefined;

/** The adapter for this machine: Linux if there is a /proc, else POSIX. */
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
