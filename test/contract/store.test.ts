/** Runs the store's contract against every adapter. */
import { createMemoryStore } from "../../emulator/store/memory/memory-store.ts";
import { storeContract } from "./store.contract.ts";

storeContract({
  name: "memory",
  durable: false,
  async open() {
    const store = createMemoryStore();
    return { store, [Symbol.asyncDispose]: () => store.close() };
  },
});
