/** Answers questions from outside a transaction: waits for the batch that runs, so that only committed state is seen. */
import { storeClosed, type StepQueue } from "./step-queue.ts";
import type { StoreView } from "./store.ts";

/** The same view, each question of which is put when no batch runs. @throws StoreClosedError, by each question */
export function committedView<Tx>(view: StoreView, queue: StepQueue<Tx>): StoreView {
  return askedAfter(view, async () => {
    while (queue.running !== undefined) await queue.running;
    if (queue.closed) throw storeClosed();
  });
}

function askedAfter<T extends object>(asked: T, ready: () => Promise<void>): T {
  return new Proxy(asked, {
    get(_, name) {
      const member: unknown = Reflect.get(asked, name);
      if (typeof member === "object" && member !== null) return askedAfter(member, ready);
      if (typeof member !== "function") return member;
      return async (...question: unknown[]) => {
        await ready();
        return Reflect.apply(member, asked, question) as unknown;
      };
    },
  });
}
