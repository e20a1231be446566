/** The program strace, for tests that act on a process at a chosen system call. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { whatIsMissing } from "./debian-program.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

/** Reason that these tests are left out here; undefined if they run. Under CI they are never left out. */
export const straceIsMissing: string | undefined = whatIsMissing(
  "tests of kills at a system call",
  ["strace"],
);

/**
 * Injects `fate` into the syncs of the process until it is disposed of: an injection of strace, such as
 * `error=EIO`. The `when` of an injection counts the syncs of each thread separately.
 */
export async function injectIntoSyncs(pid: number, fate: string) {
  const directory = temporaryDirectory();
  const log = path.join(directory.path, "syncs");
  const what = ["-e", "trace=fsync,fdatasync", "-e", `inject=fsync,fdatasync:${fate}`, "-o", log];
  const strace = spawn("strace", ["-f", "-p", String(pid), ...what], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(strace, "exit");
  await once(strace.stderr, "data");
  return {
    /** Number of syncs that have begun; they may have ended. */
    get begun(): number {
      return fs.readFileSync(log, "utf8").match(/f(?:data)?sync\(/g)?.length ?? 0;
    },
    /** Kills the process within a system call; strace alone would not release it. */
    async killProcess() {
      process.kill(pid, "SIGKILL");
      strace.kill("SIGKILL");
      await exited;
    },
    async [Symbol.asyncDispose]() {
      strace.kill("SIGINT");
      await exited;
      directory[Symbol.dispose]();
    },
  };
}
