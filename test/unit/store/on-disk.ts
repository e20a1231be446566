/** A store on disk with its owner, the threads that it has started, and its files. */
import fs from "node:fs";
import path from "node:path";
import type { Worker } from "node:worker_threads";
import { DatabaseSync } from "node:sqlite";
import {
  openSqliteStore,
  type SqliteStoreOptions,
} from "../../../emulator/store/sqlite/sqlite-store.ts";
import { takeThread } from "../../../emulator/store/sqlite/thread/start-thread.ts";
import { Owner } from "../../contract/store/subject.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

export async function storeOnDisk(options: Partial<SqliteStoreOptions> = {}) {
  const temporary = temporaryDirectory();
  const { directory = temporary.path } = options;
  // Not the one of a store that was closed before: its threads are seen as they start.
  await takeThread().terminate();
  const threads: Worker[] = [];
  const note = (thread: Worker) => void threads.push(thread);
  process.on("worker", note);
  const open = () => openSqliteStore({ ...options, directory });
  let store = await open();
  const payloads = path.join(directory, "payloads");
  return {
    directory,
    store,
    threads,
    owner: await Owner.of(store),
    payloads,
    /** The names of the payload files. */
    files: () => fs.readdirSync(payloads).toSorted(),
    /** Ends the thread that has the database open. */
    killThread: async () => threads.at(-1)?.terminate(),
    /** Waits until files that are no longer needed have been removed. */
    close: () => store.close(),
    async reopen() {
      await store.close();
      store = await open();
      return store;
    },
    /** Changes the closed database. */
    async sql(text: string) {
      await store.close();
      using db = new DatabaseSync(path.join(directory, "store.db"));
      db.exec(text);
    },
    async [Symbol.asyncDispose]() {
      process.off("worker", note);
      await store.close();
      temporary[Symbol.dispose]();
    },
  };
}
