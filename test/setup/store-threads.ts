/** The threads that stores start from now on. */
import type { Worker } from "node:worker_threads";
import { takeThread } from "../../emulator/store/sqlite/thread/start-thread.ts";

export interface StoreThreads extends Disposable {
  readonly started: readonly Worker[];
}

/** Notes threads until it is disposed of. One that waits for the next store since an earlier test is ended before. */
export async function watchStoreThreads(): Promise<StoreThreads> {
  await takeThread().terminate();
  const started: Worker[] = [];
  const note = (thread: Worker) => void started.push(thread);
  process.on("worker", note);
  return { started, [Symbol.dispose]: () => void process.off("worker", note) };
}
