/** The store that forgets everything when it is closed: for tests and `--ephemeral`. */
import { committedView } from "../committed-view.ts";
import { StepJournal } from "../step-journal.ts";
import { StepQueue, storeClosed } from "../step-queue.ts";
import type { Payload, Store } from "../store.ts";
import { MemoryTables } from "./memory-tables.ts";
import { MemoryTransaction } from "./memory-transaction.ts";
import { MemoryView } from "./memory-view.ts";

/** Keeps everything in memory; otherwise behaves as the store on disk does. */
export function createMemoryStore(): Store {
  const journal = new StepJournal();
  const tables = new MemoryTables(journal);
  const queue = new StepQueue<MemoryTransaction>({
    beginStep: () => new MemoryTransaction(tables),
    keepStep(tx) {
      tx.end();
      journal.keepStep();
    },
    undoStep(tx) {
      tx.end();
      journal.undoStep();
    },
    commit: () => journal.commit(),
    abort: () => journal.abort(),
  });
  const committed = committedView(new MemoryView(tables), queue);
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
    async stageChunks(parts): Promise<Payload[]> {
      if (queue.closed) throw storeClosed();
      return parts.map((bytes) => ({ kind: "inline", bytes }));
    },
    async discard() {},
    check: async () => [],
    close: () => queue.close(),
  };
}
