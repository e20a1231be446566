/** A store on disk with its owner, its started threads, and its files. */
import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  openSqliteStore,
  type SqliteStoreOptions,
} from "../../../emulator/store/sqlite/sqlite-store.ts";
import { Owner } from "../../contract/store/subject.ts";
import { watchStoreThreads } from "../../setup/store-threads.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

export async function storeOnDisk(options: Partial<SqliteStoreOptions> = {}) {
  const temporary = temporaryDirectory();
  const { directory = temporary.path } = options;
  const threads = await watchStoreThreads();
  const open = () => openSqliteStore({ ...options, directory });
  let store = await open();
  const payloads = path.join(directory, "payloads");
  return {
    directory,
    store,
    threads: threads.started,
    owner: await Owner.of(store),
    payloads,
    /** The names of the payload files. */
    files: () => fs.readdirSync(payloads).toSorted(),
    /** Ends the thread with the open database. */
    killThread: async () => threads.started.at(-1)?.terminate(),
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
      threads[Symbol.dispose]();
      await store.close();
      temporary[Symbol.dispose]();
    },
  };
}
