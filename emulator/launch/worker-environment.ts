/** The environment variables that every worker gets, whatever it runs in. */
import { WORKER_ENV } from "../../runtime/protocol/worker-env.ts";
import { declaredInitLimitMs } from "../core/workers/init-limit.ts";
import type { WorkerOrder } from "./launcher.ts";
import { liveEnvironment, type LiveService } from "./live-environment.ts";

export interface ToldBeside {
  /** Variables that are not of the worker itself. */
  readonly extra?: Readonly<Record<string, string>> | undefined;
  /** For a worker that may speak the live protocol. */
  readonly live?: LiveService | undefined;
}

/**
 * Its template's variables win over `extra`, and what says who it is wins over those.
 *
 * @param serviceAddress where the worker port is, as the worker sees it
 */
export function workerEnvironment(
  order: WorkerOrder,
  serviceAddress: string,
  { extra = {}, live: service }: ToldBeside = {},
): Readonly<Record<string, string>> {
  const { template, endpoint } = order;
  const initLimitMs = declaredInitLimitMs(template);
  const live = service && liveEnvironment(order, service, extra);
  return {
    ...extra,
    ...live?.settings,
    ...(initLimitMs !== undefined && { [WORKER_ENV.initLimitMs]: String(initLimitMs) }),
    ...template.env,
    ...toldGpus(order),
    ...live?.identity,
    [WORKER_ENV.serviceAddress]: serviceAddress,
    [WORKER_ENV.workerToken]: order.workerToken,
    [WORKER_ENV.workerId]: order.workerId,
    [WORKER_ENV.endpointId]: endpoint.id,
    [WORKER_ENV.logFormat]: "json",
    [WORKER_ENV.exitOnStdinEnd]: "1",
  };
}

/** Which GPUs are a worker's alone; nothing for one without. */
export function toldGpus({ gpus }: Pick<WorkerOrder, "gpus">): Readonly<Record<string, string>> {
  const [first] = gpus;
  if (first === undefined) return {};
  const ids = gpus.map(({ id }) => id).join(",");
  const { typeId, memoryGb } = first;
  const memory = memoryGb === undefined ? {} : { [WORKER_ENV.gpuMemoryGb]: String(memoryGb) };
  return { [WORKER_ENV.gpuIds]: ids, [WORKER_ENV.gpuType]: typeId, ...memory };
}

/** The ids of those that there are, by which everything else is hidden from the worker. */
export function realGpuIds({ gpus }: Pick<WorkerOrder, "gpus">): readonly string[] {
  return gpus.filter(({ isSimulated }) => !isSimulated).map(({ id }) => id);
}
