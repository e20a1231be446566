/** A store that a test can fill up: what is stored then is refused when it has run, as on a full disk. */
import { createMemoryStore } from "../../../emulator/store/memory/memory-store.ts";
import { type Store } from "../../../emulator/store/store.ts";
import { StoreFullError } from "../../../emulator/core/store-error.ts";

export function storeThatFills() {
  const store = createMemoryStore();
  let isFull = false;
  const filling: Store = {
    ...store,
    transact: (step) =>
      store.transact(async (tx) => {
        const value = await step(tx);
        if (isFull) throw new StoreFullError("there is no room");
        return value;
      }),
  };
  return {
    store: filling,
    fill: (full: boolean) => {
      isFull = full;
    },
  };
}
