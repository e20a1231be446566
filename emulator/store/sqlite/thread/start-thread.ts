/** Starts threads of the store, or has them ready: a thread takes longer to start than a database to open. */
import { Worker } from "node:worker_threads";
import { programFile } from "../../../../runtime/pipe/program-file.ts";

/** How long a thread that closed its database waits for another one. Tests open one after the other. */
const SPARE_MS = 1_000;

interface Spare {
  readonly thread: Worker;
  readonly timer?: NodeJS.Timeout;
}

let spare: Spare | undefined;

/** Has the next thread that is asked for load its program already. Until then it touches no file and keeps no process alive. */
export function startThreadAhead(): void {
  keep({ thread: startedThread() });
}

/** A thread that opens the database of which the first message to it tells: see `store-thread.ts`. */
export function takeThread(): Worker {
  const { thread = startedThread(), timer } = spare ?? {};
  clearTimeout(timer);
  spare = undefined;
  thread.removeAllListeners();
  thread.ref();
  return thread;
}

/** Takes back a thread that has closed its database, and ends it soon. */
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
  // Whoever asks for a thread then gets another one, and hears what is wrong with it.
  kept.thread.once("error", drop).once("exit", drop);
}

function startedThread(): Worker {
  const program = new URL(`./${programFile("store-thread")}`, import.meta.url);
  // Options of the process such as `--input-type` are not meant for this program.
  return new Worker(program, { execArgv: [] });
}
