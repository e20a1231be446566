/** Starts threads of the store, and keeps one ready, because starting a thread takes longer than opening a database. */
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { programFile } from "../../../../runtime/pipe/program-file.ts";
import { NODE_OPTIONS } from "../../../../runtime/protocol/environment/node-options.ts";

/** Time for which a thread is kept after it closed its database. Tests open one database after another. */
const SPARE_MS = 1_000;

interface Spare {
  readonly thread: Worker;
  readonly timer?: NodeJS.Timeout;
}

let spare: Spare | undefined;

/**
 * Lets the next thread load its program early. Until the thread is taken, it touches no file and does not keep the process alive.
 */
export function startThreadAhead(): void {
  keep({ thread: startedThread() });
}

/** Returns a thread that opens the database named in its first message; see `store-thread.ts`. */
export function takeThread(): Worker {
  const { thread = startedThread(), timer } = spare ?? {};
  clearTimeout(timer);
  spare = undefined;
  thread.removeAllListeners();
  thread.ref();
  return thread;
}

/** Takes back a thread that has closed its database, and ends the thread soon. */
export async function giveBackThread(thread: Worker): Promise<void> {
  thread.removeAllListeners();
  if (spare !== undefined) return void (await thread.terminate());
  const timer = setTimeout(() => {
    spare = undefined;
    void thread.terminate();
  }, SPARE_MS);
  keep({ thread, timer: timer.unref() });
}

function keep(kept: Spare): void {
  spare = kept;
  kept.thread.unref();
  const drop = () => {
    if (spare === kept) spare = undefined;
  };
  // The next caller gets another thread, and that thread's error.
  kept.thread.once("error", drop).once("exit", drop);
}

function startedThread(): Worker {
  const program = new URL(`./${programFile("store-thread")}`, import.meta.url);
  // Node adds its version to the directory. A thread does not inherit the compile cache.
  const cache = getCompileCacheDir();
  const env = {
    ...process.env,
    [NODE_OPTIONS]: "",
    ...(cache && { NODE_COMPILE_CACHE: dirname(cache) }),
  };
  // Options of the process such as `--input-type` and `--require` are not meant for this program.
  return new Worker(program, { execArgv: [], env });
}
