/** What `ps` and `sysctl` tell of processes, for systems without a /proc: macOS and the BSDs. */
import { type ProcessRow, rowsOf } from "./process-rows.ts";
import type { System } from "./system.ts";

const RADIX = 36;

/** Maximum difference between two answers about one start: some systems compute it from the time since their own start. */
const START_DIFFERS_S = 1;

/** Maximum age of a list of all processes that is used again. */
const RECENT_MS = 1_000;

/** Maximum output of `ps`: enough for thousands of processes with large environments. */
const OUTPUT_MAX_BYTES = 512 * 1_024 * 1_024;

const COLUMNS = ["pid=", "ppid=", "pgid=", "stat=", "rss=", "lstart="].flatMap((name) => [
  "-o",
  name,
]);

/** Options of `ps` that show the environment behind the command, on macOS and elsewhere. Neither knows the other one. */
const WITH_ENVIRONMENT = ["-axEww", "axeww"];

/** Names of an id that is new for each boot and does not change with the clock; else the one that all BSDs have. */
const BOOT_NAMES = ["kern.bootsessionuuid", "kern.boottime"];

/** All processes but zombies and the `ps` that was asked, by their numbers. */
interface Look {
  readonly rows: ReadonlyMap<number, ProcessRow>;
  /** What `ps` says of itself. */
  readonly own: ProcessRow | undefined;
  readonly at: number;
}

export class PosixSystem implements System {
  #recent: Look | undefined;
  #flags = WITH_ENVIRONMENT;

  /**
   * A program in the path of what is started may be one whose environment the system keeps to itself: so what descends from a marked
   * process is taken for marked, too, and what is in a group that one of them leads.
   */
  marked(mark: string, root?: number): readonly number[] {
    const { rows } = this.#lookWithEnvironment() ?? { rows: new Map<number, ProcessRow>() };
    const found = new Set<number>();
    const wanted = ` ${mark} `;
    for (const row of rows.values()) if (`${row.command} `.includes(wanted)) found.add(row.pid);
    // Once reaped by us, its number may be another's.
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
    // It may have been started after the last look, so that one cannot tell that it is dead.
    if (isSame(this.#recentLook()?.rows.get(pid))) return true;
    const now = this.#lookNow();
    return now === undefined ? undefined : isSame(now.rows.get(pid));
  }

  scope(): string {
    const { hostname } = process.getBuiltinModule("node:os");
    for (const name of BOOT_NAMES) {
      const said = run("sysctl", ["-n", name])?.stdout.trim() ?? "";
      // The second name answers an instant, and behind it the date for people.
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
    // A set is walked on through what is added meanwhile.
    for (const one of found)
      for (const row of rows.values()) if (row.parent === one) found.add(row.pid);
    return [...found].reduce((sum, one) => sum + (rows.get(one)?.residentBytes ?? 0), 0);
  }

  untold(): readonly string[] {
    const reason =
      "this system does not tell why a process was killed: one that ran out of memory is reported as ended by SIGKILL";
    const seen = this.#lookWithEnvironment();
    if (seen === undefined)
      return [
        reason,
        "ps does not work here: processes that a handler left behind are not found, and the memory of workers is not known",
      ];
    // Some keep that of their own programs to themselves, and ps is one of these.
    if (seen.own?.command.includes("LC_ALL=C") === true) return [reason];
    return [
      reason,
      "ps does not show the environment of every program here: such a program is not found any more when it has left its process group and the process that started it has ended",
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

  /** Asks in the way that worked the last time, and the first time in one after the other. */
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
  // A set is walked on through what is added meanwhile.
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

/** Undefined if it fails. */
function run(program: string, args: readonly string[]) {
  // Imported above, it would hold up the start of a worker's handler process.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const path = `${process.env["PATH"] ?? ""}:/usr/bin:/bin:/usr/sbin:/sbin`;
  const { pid, status, stdout } = spawnSync(program, args, {
    encoding: "latin1",
    // Without the marks that this process has.
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
    // It runs as another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
