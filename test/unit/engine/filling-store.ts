/** A store that a test can fill: it then refuses to store, like a full disk. */
import { createMemoryStore } from "../../../emulator/store/memory/memory-store.ts";
import type { Store } from "../../../emulator/store/store.ts";
import { StoreFullError } from "../../../emulator/core/store-error.ts";
import { storeWith } from "./store-with.ts";

export function storeThatFills(store: Store = createMemoryStore()) {
  let isFull = false;
  const filling = storeWith(store, {
    flush: async (batch) => {
      if (isFull) throw new StoreFullError("there is no room");
      await store.flush(batch);
    },
  });
  return {
    store: filling,
    fill: (full: boolean) => {
      isFull = full;
    },
  };
}
