/** Checks all stored data once after the start, and ends jobs with damaged data. */
import { StoreClosedError, StoreDamagedError } from "../../core/store-error.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import { endDamaged } from "./damaged-data.ts";

/** Never rejects. */
export async function checkData(
  engine: StepPort & TimePort & WorkerPort & TellPort,
): Promise<void> {
  try {
    for (const { damage, jobId } of await engine.store.check()) {
      if (jobId !== undefined) await endDamaged(engine, jobId, damage);
      else engine.log.error({}, `the data of a webhook delivery is damaged: ${damage.message}`);
    }
  } catch (error) {
    // The store has logged it itself.
    if (error instanceof StoreDamagedError || error instanceof StoreClosedError) return;
    engine.log.error({ err: error }, "the stored data could not be checked for damage");
  }
}
