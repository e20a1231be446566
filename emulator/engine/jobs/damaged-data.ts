/** Ends jobs with missing or damaged data. The cause is the damage, not the handler. */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import { PayloadDamagedError } from "../../store/payload.ts";
import { apply } from "../steps/apply.ts";
import { assignFreeCredit } from "./hand-over/assign.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { TellPort } from "../observe/tell-port.ts";

/**
 * Reads a job. A job with damaged data ends with that cause and is read once more. `ask` must not need damaged data if
 * `isDamaged` is true for the job.
 */
export async function askOrEnd<T>(
  engine: StepPort & TimePort & WorkerPort & TellPort,
  jobId: string,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof PayloadDamagedError)) throw error;
    await endDamaged(engine, jobId, error);
    return ask();
  }
}

function isDamaged({ failure }: { readonly failure: Failure | undefined }): boolean {
  return failure?.type === "data_damaged";
}

/** The result of `read`. Undefined if the data is damaged and the job is known to be. */
export async function unlessDamaged<T>(
  job: { readonly failure: Failure | undefined },
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof PayloadDamagedError && isDamaged(job)) return undefined;
    throw error;
  }
}

/** Ends the job, unless the damaged data no longer belongs to it. */
export async function endDamaged(
  engine: StepPort & TimePort & WorkerPort & TellPort,
  jobId: string,
  damage: PayloadDamagedError,
): Promise<void> {
  const found = await engine.steps.read((reads) => reads.job(jobId));
  if (found?.seq !== damage.place.seq) return;
  if (!(await engine.steps.read((reads) => reads.isStillStored(damage)))) return;
  const ended = await engine.steps.commit(
    (step) => {
      const job = step.job(jobId);
      // The damaged data may have become void meanwhile.
      if (job?.status !== found.status || job.attempt !== found.attempt) return undefined;
      const failure = { type: "data_damaged", message: damage.message } as const;
      const { result } = apply(step, job, { type: "damage", failure }, engine.clock.now());
      return result === "changed" ? job : undefined;
    },
    { jobs: [jobId] },
  );
  if (ended === undefined) return;
  const { id, endpointId } = ended;
  engine.log.error({ jobId: id, endpointId }, `the data of a job is damaged: ${damage.message}`);
  await assignFreeCredit(engine, endpointId);
}
