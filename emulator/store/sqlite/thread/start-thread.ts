/** Starts threads of the store. One can be started ahead, while nobody knows yet for which data directory. */
import { Worker } from "node:worker_threads";
import { programFile } from "../../../../runtime/pipe/program-file.ts";

let ahead: Worker | undefined;

/** Has the next thread that is asked for load its program already. Until then it touches no file and keeps no process alive. */
export function startThreadAhead(): void {
  const thread = startedThread();
  ahead = thread;
  thread.unref();
  // Whoever asks for a thread then gets another one, and hears what is wrong with it.
  thread.once("error", () => {
    if (ahead === thread) ahead = undefined;
  });
}

/** A thread that opens the database of which the first message to it tells: see `store-thread.ts`. */
export function takeThread(): Worker {
  const thread = ahead ?? startedThread();
  ahead = undefined;
  thread.ref();
  return thread;
}

function startedThread(): Worker {
  const program = new URL(`./${programFile("store-thread")}`, import.meta.url);
  // Options of the process such as `--input-type` are not meant for this program.
  return new Worker(program, { execArgv: [] });
}
