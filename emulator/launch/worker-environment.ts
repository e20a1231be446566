/** The environment variables of every worker that takes jobs. */
import { WORKER_ENV } from "../../runtime/protocol/environment/worker-env.ts";
import { declaredInitLimitMs } from "../core/workers/init-limit.ts";
import type { WorkerOrder } from "./launcher.ts";
import { liveEnvironment, type LiveService } from "./live-environment.ts";

export interface ToldBeside {
  /** Variables that do not concern the worker itself. */
  readonly extra?: Readonly<Record<string, string>> | undefined;
  /** Set for a worker that may speak the live protocol. */
  readonly live?: LiveService | undefined;
}

/**
 * The template's variables override `extra`. The worker's identity overrides both.
 *
 * @param serviceAddress address of the worker port, as the worker sees it
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

/** The variables that name a worker's GPUs; none for a worker without. */
export function toldGpus({ gpus }: Pick<WorkerOrder, "gpus">): Readonly<Record<string, string>> {
  const [first] = gpus;
  if (first === undefined) return {};
  const ids = gpus.map(({ id }) => id).join(",");
  const { typeId, memoryGb } = first;
  const memory = memoryGb === undefined ? {} : { [WORKER_ENV.gpuMemoryGb]: String(memoryGb) };
  return { [WORKER_ENV.gpuIds]: ids, [WORKER_ENV.gpuType]: typeId, ...memory };
}

/** The ids of the worker's GPUs that are not simulated. All other GPUs are hidden from it. */
export function realGpuIds({ gpus }: Pick<WorkerOrder, "gpus">): readonly string[] {
  return gpus.filter(({ isSimulated }) => !isSimulated).map(({ id }) => id);
}
