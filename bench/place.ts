/** The place of a service's jobs: a data directory, or a database on the benchmark's own server. */
import path from "node:path";
import { type Bench, newFolder } from "./bench.ts";
import { type EmulatorProcess, type ServedEndpoint, startEmulatorFor } from "./emulator-process.ts";
import type { PostgresServer } from "./peers/postgres-server.ts";
import { StoreProgram } from "./store-program.ts";

export interface Place {
  /** Works on the place through the store alone. Close it before an emulator starts there. */
  openStore(): Promise<StoreProgram>;
  startEmulator(endpoints: Readonly<Record<string, ServedEndpoint>>): Promise<EmulatorProcess>;
}

/** A new place. */
export type NewPlace = (bench: Bench, name: string) => Promise<Place>;

export const newDirectory: NewPlace = async (bench, name) => {
  const folder = newFolder(bench, name);
  return {
    openStore: () => opened((store) => store.open(path.join(folder, "data"))),
    startEmulator: (endpoints) => startEmulatorFor(folder, endpoints),
  };
};

export function databasesOn(server: PostgresServer): NewPlace {
  return async (bench, name) => {
    const folder = newFolder(bench, name);
    const url = await server.database(name);
    return {
      openStore: () => opened((store) => store.openDatabase(url)),
      startEmulator: (endpoints) => startEmulatorFor(folder, endpoints, { store: url }),
    };
  };
}

async function opened(open: (store: StoreProgram) => Promise<void>): Promise<StoreProgram> {
  const store = new StoreProgram();
  try {
    await open(store);
    return store;
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}
