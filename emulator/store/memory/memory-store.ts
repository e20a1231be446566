/** The store that forgets everything when it is closed: for tests and `--ephemeral`. */
import { CommittedView } from "../committed-view.ts";
import { StepQueue, storeClosed } from "../step-queue.ts";
import type { Payload, Store } from "../store.ts";
import { MemoryTables } from "./memory-tables.ts";
import { MemoryTransaction } from "./memory-transaction.ts";
import { MemoryView } from "./memory-view.ts";

/** Keeps everything in memory; otherwise behaves as the store on disk does. */
export function createMemoryStore(): Store {
  const tables = new MemoryTables();
  const queue = new StepQueue<MemoryTransaction>({
    beginStep: () => new MemoryTransaction(tables),
    keepStep(tx) {
      tx.end();
      tables.keepStep();
    },
    undoStep(tx) {
      tx.end();
      tables.undoStep();
    },
    // A finished step is kept at once: what follows cannot fail, and reads wait for the end of the batch.
    commit: () => undefined,
    abort: () => undefined,
  });
  const committed = new CommittedView(new MemoryView(tables), queue);
  return {
    transact: (step) => queue.transact(step),
    async read(query) {
      if (queue.closed) throw storeClosed();
      return query(committed);
    },
    async stage(bytes): Promise<Payload> {
      if (queue.closed) throw storeClosed();
      return { kind: "inline", bytes };
    },
    async discard() {},
    close: () => queue.close(),
  };
}
