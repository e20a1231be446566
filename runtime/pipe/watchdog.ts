/** Has the processes that this one started ended when this one is killed, even while they block their event loop. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import path from "node:path";
import { programFile } from "./program-file.ts";

/**
 * Reads lines that each name all running processes, until this process ends. Then it becomes Node with the program that ends the
 * processes of the last line. A shell takes a hundredth of the memory of a thread of Node.
 */
const SCRIPT = 'while read -r line; do left=$line; done; [ -z "$left" ] || exec "$0" "$1" $left';

/** Running processes, each as `pid=marker`. */
const watched = new Set<string>();
let shell: ChildProcess | undefined;

/**
 * Watches a process until the returned function is called.
 *
 * @param entryPath the program of the process; the program that ends it is in the same directory
 * @param marker value of `MARKER_NAME` in the environment of the process, without spaces
 */
export function watchProcess(entryPath: string, pid: number, marker: string): () => void {
  const entry = `${pid}=${marker}`;
  watched.add(entry);
  shell ??= startShell(path.join(path.dirname(entryPath), programFile("watchdog")));
  tell();
  return () => {
    if (watched.delete(entry)) tell();
  };
}

function tell(): void {
  shell?.stdin?.write(`${[...watched].join(" ")}\n`);
}

function startShell(program: string): ChildProcess {
  const started = spawn("/bin/sh", ["-c", SCRIPT, process.execPath, program], {
    // Ctrl-C of a terminal does not reach it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    // Options of the handler in NODE_OPTIONS are not for the program.
    env: {},
  });
  // The next process that is watched gets a new shell.
  started.on("exit", () => (shell = undefined));
  started.on("error", ({ message }) => {
    shell = undefined;
    process.emitWarning(`handlers may outlive a worker that is killed: ${message}`);
  });
  started.unref();
  // Without descriptors for its pipes there is none.
  const input = started.stdin as Socket | undefined;
  input?.on("error", () => undefined).unref();
  return started;
}
