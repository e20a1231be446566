/** Starts threads of the store, or keeps one ready: the start of a thread takes longer than the opening of a database. */
import { Worker } from "node:worker_threads";
import { programFile } from "../../../../runtime/pipe/program-file.ts";

/** Time for which a thread that closed its database is kept: tests open one database after another. */
const SPARE_MS = 1_000;

interface Spare {
  readonly thread: Worker;
  readonly timer?: NodeJS.Timeout;
}

let spare: Spare | undefined;

/** Has the next thread load its program ahead. Until it is taken it touches no file and keeps no process alive. */
export function startThreadAhead(): void {
  keep({ thread: startedThread() });
}

/** A thread that opens the database named in its first message: see `store-thread.ts`. */
export function takeThread(): Worker {
  const { thread = startedThread(), timer } = spare ?? {};
  clearTimeout(timer);
  spare = undefined;
  thread.removeAllListeners();
  thread.ref();
  return thread;
}

/** Takes back a thread that closed its database, and ends it soon. */
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
  // The next caller gets another thread, and the error of that one.
  kept.thread.once("error", drop).once("exit", drop);
}

function startedThread(): Worker {
  const program = new URL(`./${programFile("store-thread")}`, import.meta.url);
  // Options of the process such as `--input-type` are not meant for this program.
  return new Worker(program, { execArgv: [] });
}
