/** The invocation to which the running code belongs. */
import { AsyncLocalStorage } from "node:async_hooks";

/** The facts about an invocation that other parts of the process need. */
export interface Attributed {
  readonly slot: number;
  readonly jobId: string;
}

/** Follows the handler through promises, timers and callbacks. */
export const currentInvocation = new AsyncLocalStorage<Attributed>();
