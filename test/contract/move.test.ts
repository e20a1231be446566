/** Moves random data directories into each kind of store. */
import { inject } from "vitest";
import { createSystemClock } from "../../emulator/assembly/system-clock.ts";
import { createMemoryStore } from "../../emulator/store/memory/memory-store.ts";
import { openPostgresStore } from "../../emulator/store/postgres/postgres-store.ts";
import { postgresIsMissing } from "../setup/postgres.ts";
import { freshDatabase } from "../setup/shared-postgres.ts";
import { moveContract } from "./move.contract.ts";
import { sized } from "../setup/size.ts";

const PAGES = [1, 2, 3, 500];

async function openMemory() {
  const store = createMemoryStore();
  return { store, [Symbol.asyncDispose]: () => store.close() };
}
moveContract("memory", openMemory, PAGES);

if (postgresIsMissing === undefined) {
  const openPostgres = async () => {
    const url = await freshDatabase(inject("sharedPostgres"));
    const clock = createSystemClock();
    const store = await openPostgresStore({ url, replica: crypto.randomUUID(), clock });
    return { store, [Symbol.asyncDispose]: () => store.close() };
  };
  moveContract("PostgreSQL", openPostgres, sized([2, 500], PAGES));
}
