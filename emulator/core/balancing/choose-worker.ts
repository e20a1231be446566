/**
 * Chooses the worker of a load balancing endpoint for a request: the least busy one, or the one that the client names. Pure.
 */
import { ServiceError } from "../service-error.ts";
import type { WorkerState } from "../workers/worker-life.ts";

/**
 * Header with a worker's id: in an answer the worker that answered, in a request the worker that the client wants (ours, after
 * a similar one of the live service).
 */
export const AFFINITY_HEADER = "sv-worker-id";

/**
 * - `any`: whichever is least busy
 * - `soft`: that worker, or any if it cannot take the request
 * - `strict`: that worker now, or none
 * - `strict-resume`: that worker, as soon as it is healthy again
 */
export type Affinity =
  | { readonly mode: "any" }
  | { readonly mode: "soft" | "strict" | "strict-resume"; readonly workerId: string };

export interface BalancedWorker {
  readonly id: string;
  readonly state: WorkerState;
  readonly hasProcess: boolean;
  /** Number of requests in flight. */
  readonly heldCount: number;
  /** Version of the endpoint that the worker was started for. */
  readonly endpointVersion: number;
}

/** `wait`: a worker may become ready; `gone`: the wanted worker will never be. */
export type Choice<Worker> = { readonly worker: Worker } | "wait" | "gone";

const AFFINITY = /^(?:(strict|strict-resume) +)?([a-z0-9]{1,64})$/iu;

/** @throws ServiceError invalid_header */
export function readAffinity(header: string | undefined): Affinity {
  if (header === undefined || header === "") return { mode: "any" };
  const [, mode = "soft", workerId] = AFFINITY.exec(header.trim()) ?? [];
  if (workerId !== undefined) return { mode: modeOf(mode), workerId };
  throw new ServiceError(
    "invalid_header",
    `${AFFINITY_HEADER} must be the id of a worker, alone or after "strict" or "strict-resume"`,
  );
}

function modeOf(word: string): "soft" | "strict" | "strict-resume" {
  const lower = word.toLowerCase();
  return lower === "strict" || lower === "strict-resume" ? lower : "soft";
}

/** Takes the first of equally busy workers, so that the others become idle. */
export function chooseWorker<Worker extends BalancedWorker>(
  workers: readonly Worker[],
  endpointVersion: number,
  affinity: Affinity,
): Choice<Worker> {
  if (affinity.mode !== "any") {
    const worker = workers.find(({ id }) => id === affinity.workerId);
    if (worker?.state === "ready") return { worker };
    const isOut = worker?.state === "initializing" || worker?.state === "unhealthy";
    const mayRecover = isOut && worker.hasProcess;
    if (affinity.mode === "strict") return "gone";
    if (affinity.mode === "strict-resume") return mayRecover ? "wait" : "gone";
  }
  const ready = workers.filter(({ state }) => state === "ready");
  const current = ready.filter((worker) => worker.endpointVersion === endpointVersion);
  // Workers of an old version serve until the first worker of the new one is healthy.
  const [first, ...others] = current.length > 0 ? current : ready;
  if (first === undefined) return "wait";
  return {
    worker: others.reduce(
      (best, worker) => (worker.heldCount < best.heldCount ? worker : best),
      first,
    ),
  };
}
