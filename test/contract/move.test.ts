/** Moves random data directories into the stores that there are. */
import { createMemoryStore } from "../../emulator/store/memory/memory-store.ts";
import { moveContract } from "./move.contract.ts";

moveContract("memory", async () => {
  const store = createMemoryStore();
  return { store, [Symbol.asyncDispose]: () => store.close() };
});
