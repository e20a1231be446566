/** Decides when a batch is stored, or that it is refused. */
import { StoreFullError } from "../../../emulator/core/store-error.ts";
import type { Batch } from "../../../emulator/store/batch.ts";
import type { Store } from "../../../emulator/store/store.ts";
import { storeWith } from "../../unit/engine/store-with.ts";

/** A batch that waits for the test's decision. */
interface Waiting {
  readonly batch: Batch;
  readonly store: () => void;
  readonly refuse: () => void;
}

/** Lets each batch wait for the test's decision while it is closed. */
export class Gate {
  isOpen = true;
  waiting: Waiting | undefined;
  readonly store: Store;

  constructor(disk: Store) {
    this.store = storeWith(disk, {
      flush: async (batch) => {
        if (!this.isOpen) await this.#decided(batch);
        await disk.flush(batch);
      },
      close: async () => undefined,
    });
  }

  #decided(batch: Batch): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const decide = (how: () => void) => () => {
      this.waiting = undefined;
      how();
    };
    const refuse = decide(() => reject(new StoreFullError("there is no room")));
    this.waiting = { batch, store: decide(resolve), refuse };
    return promise;
  }
}
