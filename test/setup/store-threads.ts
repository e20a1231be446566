/** The threads that stores start while a test records them. */
import type { Worker } from "node:worker_threads";
import { takeThread } from "../../emulator/store/sqlite/thread/start-thread.ts";

export interface StoreThreads extends Disposable {
  readonly started: readonly Worker[];
}

/** Records threads until it is disposed of. First ends a thread of an earlier test that waits for the next store. */
export async function watchStoreThreads(): Promise<StoreThreads> {
  await takeThread().terminate();
  const started: Worker[] = [];
  const note = (thread: Worker) => void started.push(thread);
  process.on("worker", note);
  return { started, [Symbol.dispose]: () => void process.off("worker", note) };
}
