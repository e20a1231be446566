/** Ends jobs whose stored data is missing or damaged, with that cause, which is no fault of a handler. */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import { PayloadDamagedError } from "../../store/payload.ts";
import { apply } from "../steps/apply.ts";
import { assignFreeCredit } from "./assign-free.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { TellPort } from "../observe/tell-port.ts";

/**
 * Asks about a job. If data of it is found damaged, the job ends with that cause and is asked about once more: `ask` does
 * not need what is damaged of a job for which `isDamaged` is true.
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

/** What `read` answers; undefined if what it reads is damaged and the job is known to be. */
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

/** Ends the job, unless what was found damaged is not stored of it any more. */
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
      // Since it was looked at, what is damaged may have become void.
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
