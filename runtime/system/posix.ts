/** Information about processes from `ps` and `sysctl`, for systems without a /proc: macOS and the BSDs. */
import { type ProcessRow, rowsOf } from "./process-rows.ts";

const RADIX = 36;

/** Maximum difference between two answers about one start. Some systems compute a start from the time since their own start. */
const START_DIFFERS_S = 1;

/** Maximum age of a list of all processes that is reused. */
const RECENT_MS = 1_000;

/** Maximum output of `ps`: enough for thousands of processes with large environments. */
const OUTPUT_MAX_BYTES = 512 * 1_024 * 1_024;

const COLUMNS = ["pid=", "ppid=", "pgid=", "stat=", "rss=", "lstart="].flatMap((name) => [
  "-o",
  name,
]);

/**
 * Options of `ps` that show the environment after the command, on macOS and elsewhere. Neither system knows the other's
 * options.
 */
const WITH_ENVIRONMENT = ["-axEww", "axeww"];

/** Names of ids of a boot: one that does not change with the clock, and one that all BSDs have. */
const BOOT_NAMES = ["kern.bootsessionuuid", "kern.boottime"];

/** All processes by their ids, except zombies and `ps` itself. */
interface Look {
  readonly rows: ReadonlyMap<number, ProcessRow>;
  /** The row of `ps` itself. */
  readonly own: ProcessRow | undefined;
  readonly at: number;
}

export class PosixSystem {
  #recent: Look | undefined;
  #flags = WITH_ENVIRONMENT;

  /**
   * The system may hide the environment of some programs. Descendants of a marked process, and processes in a group that a
   * marked one leads, therefore count as marked.
   */
  marked(mark: string, root?: number): readonly number[] {
    const { rows } = this.#lookWithEnvironment() ?? { rows: new Map<number, ProcessRow>() };
    const found = new Set<number>();
    const wanted = ` ${mark} `;
    for (const row of rows.values()) if (`${row.command} `.includes(wanted)) found.add(row.pid);
    // A reaped process no longer counts: its id may belong to another process.
    if (root === process.pid || (root !== undefined && rows.get(root)?.parent === process.pid))
      found.add(root);
    addRelated(found, rows);
    return [...found];
  }

  startOf(pid: number): string | undefined {
    return this.#look(pid)?.startS?.toString(RADIX);
  }

  isRunning(pid: number, start: string): boolean | undefined {
    if (!exists(pid)) return false;
    const wanted = Number.parseInt(start, RADIX);
    const isSame = (row: ProcessRow | undefined) =>
      row?.startS !== undefined && Math.abs(row.startS - wanted) <= START_DIFFERS_S;
    // A process that is not in the last list may have been started since.
    if (isSame(this.#recentLook()?.rows.get(pid))) return true;
    const now = this.#lookNow();
    return now === undefined ? undefined : isSame(now.rows.get(pid));
  }

  mayRun(pid: number): boolean {
    return exists(pid);
  }

  /** The system hides the environment of its own programs, such as shells. Every other process has a PATH. */
  unmarkedAncestor(marks: readonly string[]): number | undefined {
    // `ps` shows other characters in other ways.
    const shown = marks.filter((mark) => /^[ -~]+$/u.test(mark));
    const { rows } = this.#lookWithEnvironment() ?? { rows: new Map<number, ProcessRow>() };
    // The loop ends: a process is younger than its parent.
    let row = rows.get(process.ppid);
    for (; row !== undefined && row.pid > 1; row = rows.get(row.parent)) {
      const command = `${row.command} `;
      const isHidden = !command.includes(" PATH=");
      if (!isHidden && !shown.every((mark) => command.includes(` ${mark} `))) return row.pid;
    }
    return undefined;
  }

  scope(): string {
    const { hostname } = process.getBuiltinModule("node:os");
    for (const name of BOOT_NAMES) {
      const said = run("sysctl", ["-n", name])?.stdout.trim() ?? "";
      // The second id is an instant, followed by the date for people.
      if (said !== "") return said.split("}")[0] ?? said;
    }
    return hostname();
  }

  countOomKills(): undefined {
    return undefined;
  }

  residentBytes(pid: number): number | undefined {
    const own = this.#look(pid);
    const rows = this.#recentLook()?.rows;
    if (own === undefined || rows === undefined) return undefined;
    const found = new Set([pid]);
    // The loop also visits ids that are added meanwhile.
    for (const one of found)
      for (const row of rows.values()) if (row.parent === one) found.add(row.pid);
    return [...found].reduce((sum, one) => sum + (rows.get(one)?.residentBytes ?? 0), 0);
  }

  untold(): readonly string[] {
    const reason =
      "this system does not show why a process was killed: a process that ran out of memory is reported as ended by SIGKILL";
    const seen = this.#lookWithEnvironment();
    if (seen === undefined)
      return [
        reason,
        "ps does not work here: leftover processes of handlers are not found, and the memory of workers is unknown",
      ];
    // Some systems hide the environment of their own programs, such as ps.
    if (seen.own?.command.includes("LC_ALL=C") === true) return [reason];
    return [
      reason,
      "ps hides the environment of some programs here: such a program is lost if it leaves its process group and its parent ends",
    ];
  }

  /** Undefined for a process that has ended. */
  #look(pid: number): ProcessRow | undefined {
    if (!exists(pid)) return undefined;
    return this.#recentLook()?.rows.get(pid) ?? this.#lookNow()?.rows.get(pid);
  }

  #recentLook(): Look | undefined {
    const isRecent = this.#recent !== undefined && performance.now() - this.#recent.at < RECENT_MS;
    return isRecent ? this.#recent : this.#lookNow();
  }

  /** Uses the options that worked the last time; the first time tries each in turn. */
  #lookWithEnvironment(): Look | undefined {
    for (const flags of this.#flags) {
      const seen = look([flags, ...COLUMNS, "-o", "command="]);
      if (seen === undefined) continue;
      this.#flags = [flags];
      return seen;
    }
    return undefined;
  }

  #lookNow(): Look | undefined {
    this.#recent = look(["-A", ...COLUMNS]);
    return this.#recent;
  }
}

function addRelated(found: Set<number>, rows: ReadonlyMap<number, ProcessRow>): void {
  // The loop also visits ids that are added meanwhile.
  for (const one of found)
    for (const { pid, parent, group } of rows.values())
      if (parent === one || group === one) found.add(pid);
}

function look(args: readonly string[]): Look | undefined {
  const at = performance.now();
  const said = run("ps", args);
  if (said === undefined) return undefined;
  const all = rowsOf(said.stdout);
  const rows = all.filter(({ pid, isZombie }) => pid !== said.pid && !isZombie);
  const own = all.find(({ pid }) => pid === said.pid);
  return { rows: new Map(rows.map((row) => [row.pid, row])), own, at };
}

/** Undefined if the program fails. */
function run(program: string, args: readonly string[]) {
  // Imported here, because it would delay the start of a worker's handler process.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const path = `${process.env["PATH"] ?? ""}:/usr/bin:/bin:/usr/sbin:/sbin`;
  const { pid, status, stdout } = spawnSync(program, args, {
    encoding: "latin1",
    // The environment without the marks of this process.
    env: { PATH: path, LC_ALL: "C", TZ: "UTC" },
    maxBuffer: OUTPUT_MAX_BYTES,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? { pid, stdout } : undefined;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process runs as another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
