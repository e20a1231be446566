/** Runs the store's contract against every adapter. */
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createMemoryStore } from "../../emulator/store/memory/memory-store.ts";
import { openSqliteStore } from "../../emulator/store/sqlite/sqlite-store.ts";
import { storeContract } from "./store.contract.ts";

storeContract({
  name: "memory",
  durable: false,
  async open() {
    const store = createMemoryStore();
    return { store, [Symbol.asyncDispose]: () => store.close() };
  },
});

storeContract({
  name: "SQLite",
  durable: true,
  async open() {
    const directory = await fs.mkdtemp(path.join(os.tmpdir(), "sv-store-"));
    const store = await openSqliteStore({ directory });
    let latest = store;
    return {
      store,
      async reopen() {
        await latest.close();
        latest = await openSqliteStore({ directory });
        return latest;
      },
      async [Symbol.asyncDispose]() {
        await latest.close();
        await fs.rm(directory, { recursive: true });
      },
    };
  },
});
