/** What a worker is told that runs in a container, on this machine or in a cluster, and where it finds its volume. Pure. */
import path from "node:path";
import { SERVER_ENV, WORKER_ENV } from "../../runtime/protocol/worker-env.ts";
import type { Template } from "../core/resources/template.ts";
import type { WorkerOrder } from "./launcher.ts";
import { type LiveBounds, type LiveService, liveServerEnvironment } from "./live-environment.ts";
import { serverSettings } from "./server-settings.ts";
import { toldGpus, workerEnvironment } from "./worker-environment.ts";

/** Where handlers find the endpoint's network volume, beside the template's `volumeMountPath` (live). */
const VOLUME_PATH = "/runpod-volume";

/** Of the container, which has a network of its own. */
const EVERY_ADDRESS = "0.0.0.0";

/** What it may use at most. */
export interface ContainerBounds {
  readonly cpus: number | undefined;
  /** Undefined for all there is. */
  readonly memoryBytes: number | undefined;
}

export interface ContainerSurroundings {
  /** Where the worker port is, as the worker sees it. */
  readonly serviceAddress: string;
  /** Further variables; those of the template win. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether its endpoint's network volume is mounted. */
  readonly hasVolume: boolean;
  /** How the service is reached by the live protocol; absent where containers cannot reach it. */
  readonly live?: LiveService | undefined;
}

export function isServer({ endpoint }: Pick<WorkerOrder, "endpoint">): boolean {
  return endpoint.type === "LOAD_BALANCING";
}

export function containerEnvironment(
  order: WorkerOrder,
  { cpus, memoryBytes }: ContainerBounds,
  { serviceAddress, env, hasVolume, live }: ContainerSurroundings,
): Readonly<Record<string, string>> {
  const extra = { ...env, ...(hasVolume && { [WORKER_ENV.volumePath]: VOLUME_PATH }) };
  const bounds = {
    ...(cpus !== undefined && { cpuCount: Math.ceil(cpus) }),
    memoryBytes,
  };
  if (isServer(order))
    return serverEnvironment(order, extra, { cpuCount: live?.cpuCount, ...bounds });
  return workerEnvironment(order, serviceAddress, { extra, live: live && { ...live, ...bounds } });
}

/** A server has ports of its own, so it gets those of its template, and has no business with the worker port. */
function serverEnvironment(
  order: WorkerOrder,
  extra: Readonly<Record<string, string>>,
  bounds: LiveBounds,
): Readonly<Record<string, string>> {
  const { port, healthPort, writtenHealthPath } = serverSettings(order.template);
  const live = liveServerEnvironment(order, bounds, extra);
  return {
    ...extra,
    ...live.settings,
    [SERVER_ENV.host]: EVERY_ADDRESS,
    [SERVER_ENV.healthPath]: writtenHealthPath,
    ...order.template.env,
    ...toldGpus(order),
    ...live.identity,
    [SERVER_ENV.port]: port,
    [SERVER_ENV.healthPort]: healthPort,
    [WORKER_ENV.workerId]: order.workerId,
    [WORKER_ENV.endpointId]: order.endpoint.id,
    // Heeded by `sv-worker server`; any other program knows nothing of it.
    [WORKER_ENV.exitOnStdinEnd]: "1",
  };
}

/** Where a network volume is mounted. */
export function volumePaths(template: Pick<Template, "volumeMountPath">): readonly string[] {
  return [...new Set([VOLUME_PATH, mountPoint(template)])];
}

/** Without a slash at its end. */
export function mountPoint({ volumeMountPath }: Pick<Template, "volumeMountPath">): string {
  return path.posix.normalize(`${volumeMountPath}/`).replace(/(?<=.)\/$/u, "");
}
