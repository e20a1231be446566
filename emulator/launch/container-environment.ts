/** The environment variables of a worker in a container, on this machine or in a cluster, and the paths of its volume. Pure. */
import path from "node:path";
import { SERVER_ENV, WORKER_ENV } from "../../runtime/protocol/environment/worker-env.ts";
import type { Template } from "../core/resources/templates/template.ts";
import type { WorkerOrder } from "./launcher.ts";
import { type LiveBounds, type LiveService, liveServerEnvironment } from "./live-environment.ts";
import { serverSettings } from "./server-settings.ts";
import { toldGpus, workerEnvironment } from "./worker-environment.ts";

/** Path of the endpoint's network volume in a container, beside the template's `volumeMountPath` (live). */
const VOLUME_PATH = "/runpod-volume";

/** Address at which a server listens: a container has a network of its own. */
const EVERY_ADDRESS = "0.0.0.0";

/** Home of a program on a read-only root without a volume: the directory in memory. */
const TMP_PATH = "/tmp";

/** Maximum that a container may use. */
export interface ContainerBounds {
  /** Whether it has the privileges that its image asks for. Otherwise its root is read-only. */
  readonly asImage: boolean;
  readonly cpus: number | undefined;
  /** Undefined for no limit. */
  readonly memoryBytes: number | undefined;
}

export interface ContainerSurroundings {
  /** Address of the worker port, as the worker sees it. */
  readonly serviceAddress: string;
  /** More variables. The template's variables override them. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the endpoint's network volume is mounted. */
  readonly hasVolume: boolean;
  /** How the worker reaches the service by the live protocol. Absent if it cannot. */
  readonly live?: LiveService | undefined;
}

export function isServer({ endpoint }: Pick<WorkerOrder, "endpoint">): boolean {
  return endpoint.type === "LOAD_BALANCING";
}

export function containerEnvironment(
  order: WorkerOrder,
  { asImage, cpus, memoryBytes }: ContainerBounds,
  { serviceAddress, env, hasVolume, live }: ContainerSurroundings,
): Readonly<Record<string, string>> {
  const extra = {
    ...(!asImage && writableHome(hasVolume)),
    ...env,
    ...(hasVolume && { [WORKER_ENV.volumePath]: VOLUME_PATH }),
  };
  const bounds = {
    ...(cpus !== undefined && { cpuCount: Math.ceil(cpus) }),
    memoryBytes,
  };
  if (isServer(order))
    return serverEnvironment(order, extra, { cpuCount: live?.cpuCount, ...bounds });
  return workerEnvironment(order, serviceAddress, { extra, live: live && { ...live, ...bounds } });
}

/**
 * A place to write for programs that keep files at home and in caches, such as models from a hub (ours). Libraries with a variable of
 * their own (`HF_HOME`, `TORCH_HOME` …) follow these two, unless the image or the template sets theirs.
 */
function writableHome(hasVolume: boolean): Readonly<Record<string, string>> {
  const home = hasVolume ? VOLUME_PATH : TMP_PATH;
  return { HOME: home, XDG_CACHE_HOME: `${home}/.cache` };
}

/** A server listens at the ports of its template, and does not call the worker port. */
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
    // Read by `sv-worker server`. Other programs ignore it.
    [WORKER_ENV.exitOnStdinEnd]: "1",
  };
}

export function volumePaths(template: Pick<Template, "volumeMountPath">): readonly string[] {
  return [...new Set([VOLUME_PATH, mountPoint(template)])];
}

/** The template's mount path without a slash at its end. */
export function mountPoint({ volumeMountPath }: Pick<Template, "volumeMountPath">): string {
  return path.posix.normalize(`${volumeMountPath}/`).replace(/(?<=.)\/$/u, "");
}
