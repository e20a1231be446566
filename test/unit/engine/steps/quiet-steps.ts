/** Steps on a store without an engine, and with a log that is dropped. */
import { openSteps, type Steps } from "../../../../emulator/engine/steps/steps.ts";
import type { Ownership } from "../../../../emulator/store/ownership.ts";
import type { Store } from "../../../../emulator/store/store.ts";
import { FakeClock } from "../../../fake-clock.ts";

/** @param ownership of a store that several processes share */
export function quietSteps(store: Store, ownership?: Ownership): Promise<Steps> {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  return openSteps(store, { log, clock: new FakeClock(), ownership });
}
