/** The invocation that the running code belongs to. */
import { AsyncLocalStorage } from "node:async_hooks";

/** What the rest of the process needs to know of an invocation. */
export interface Attributed {
  readonly slot: number;
  readonly jobId: string;
}

/** Follows the handler through promises, timers and callbacks. */
export const currentInvocation = new AsyncLocalStorage<Attributed>();
