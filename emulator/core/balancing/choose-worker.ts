/** Which worker of a load balancing endpoint gets a request: the least busy one, or the one the client asks for. Pure. */
import { ServiceError } from "../service-error.ts";
import type { WorkerState } from "../workers/worker-life.ts";

/** Names the worker that answered, and in a request the worker that is wanted (ours; the live service has one like it). */
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
  /** Requests in flight. */
  readonly heldCount: number;
  /** Version of the endpoint it was started for. */
  readonly endpointVersion: number;
}

/** `wait`: a worker may yet come; `gone`: the one that is wanted never will. */
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

/** Of equally busy workers the first: so that the others can become idle. */
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
  // Those of an old version stand in until the first of the new one is healthy.
  const [first, ...others] = current.length > 0 ? current : ready;
  if (first === undefined) return "wait";
  return {
    worker: others.reduce(
      (best, worker) => (worker.heldCount < best.heldCount ? worker : best),
      first,
    ),
  };
}
