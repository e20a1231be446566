/** A store that keeps batches waiting, and a look at what happens meanwhile. */
import { StoreFullError } from "../../../emulator/core/store-error.ts";
import { createMemoryStore } from "../../../emulator/store/memory/memory-store.ts";
import { storeWith } from "./store-with.ts";

/** A store whose batches wait, after `close`, until the test lets them in or refuses the next one. */
export function gatedStore() {
  const store = createMemoryStore();
  const open = Promise.resolve();
  let gate = open;
  let flushes = 0;
  const gated = storeWith(store, {
    flush: async (batch) => {
      flushes += 1;
      try {
        await gate;
      } finally {
        gate = open;
      }
      await store.flush(batch);
    },
  });
  const close = () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => undefined);
    gate = promise;
    return { open: resolve, refuse: () => reject(new StoreFullError("there is no room")) };
  };
  return { store: gated, close, flushes: () => flushes };
}

/** Whether it is settled by now. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol("open");
  const turn = new Promise((resolve) => setImmediate(() => setImmediate(() => resolve(open))));
  return (await Promise.race([promise, turn])) !== open;
}
