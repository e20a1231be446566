/** What every worker is told by variables of its environment, whatever it runs in. */
import { WORKER_ENV } from "../../runtime/protocol/worker-env.ts";
import { wishedInitLimitMs } from "../core/init-limit.ts";
import type { WorkerOrder } from "./launcher.ts";

/**
 * Its template's variables win over `extra`, and what says who it is wins over those.
 *
 * @param serviceAddress where the worker port is, as the worker sees it
 */
export function workerEnvironment(
  order: WorkerOrder,
  serviceAddress: string,
  extra: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const { template, endpoint } = order;
  const initLimitMs = wishedInitLimitMs(template);
  return {
    ...extra,
    ...(initLimitMs !== undefined && { [WORKER_ENV.initLimitMs]: String(initLimitMs) }),
    ...template.env,
    ...toldGpus(order),
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
