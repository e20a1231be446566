/** Runs the contract of the store against every adapter. */
import { describe, inject } from "vitest";
import { createMemoryStore } from "../../emulator/store/memory/memory-store.ts";
import { openSqliteStore } from "../../emulator/store/sqlite/sqlite-store.ts";
import { temporaryDirectory } from "../setup/temporary-directory.ts";
import { postgresIsMissing } from "../setup/postgres.ts";
import { IS_FULL } from "../setup/size.ts";
import { storeContract } from "./store.contract.ts";
import { chunksContract } from "./store/chunks.contract.ts";
import { deliveriesContract } from "./store/deliveries.contract.ts";
import { durabilityContract } from "./store/durability.contract.ts";
import { MemoryBlobs } from "./store/memory-blobs.ts";
import { payloadsContract } from "./store/payloads.contract.ts";
import { postgresSubjects } from "./store/postgres-subject.ts";

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
    const directory = temporaryDirectory();
    const store = await openSqliteStore({ directory: directory.path });
    let latest = store;
    return {
      store,
      async reopen() {
        await latest.close();
        latest = await openSqliteStore({ directory: directory.path });
        return latest;
      },
      async [Symbol.asyncDispose]() {
        await latest.close();
        directory[Symbol.dispose]();
      },
    };
  },
});

describe.skipIf(postgresIsMissing !== undefined)("in a database", () => {
  const door = inject("sharedPostgres");
  const durable = true;
  storeContract({ name: "PostgreSQL", durable, open: postgresSubjects(door) });
  const beside = postgresSubjects(door, new MemoryBlobs());
  describe("the PostgreSQL store with large payloads beside it", () => {
    payloadsContract(beside);
    if (!IS_FULL) return;
    chunksContract(beside);
    deliveriesContract(beside);
    durabilityContract(beside);
  });
});
