/** Checks all stored data once after the start, and ends the jobs whose data is damaged. */
import { StoreClosedError, StoreDamagedError } from "../../core/store-error.ts";
import type { Uses } from "../parts/engine-parts.ts";
import { endDamaged } from "./damaged-data.ts";

/** Never rejects. */
export async function checkData(
  engine: Uses<"clock" | "fleet" | "lease" | "log" | "random" | "steps" | "store">,
): Promise<void> {
  try {
    for (const { damage, jobId } of await engine.store.check()) {
      if (jobId !== undefined) await endDamaged(engine, jobId, damage);
      else engine.log.error({}, `the data of a webhook delivery is damaged: ${damage.message}`);
    }
  } catch (error) {
    // The store has said so itself.
    if (error instanceof StoreDamagedError || error instanceof StoreClosedError) return;
    engine.log.error({ err: error }, "the stored data could not be looked through for damage");
  }
}
