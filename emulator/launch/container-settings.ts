/** Reads the variables by which a template asks for memory, processors and privileges of its containers. Pure. */
import os from "node:os";
import type { Template } from "../core/resources/templates/template.ts";
import { wholeGb } from "./live-location.ts";

export const CONTAINER_ENV = {
  /** `least` (default), or `image` for what the image itself asks for: its user, a writable root, capabilities. */
  privileges: "SV_CONTAINER_PRIVILEGES",
  /** Maximum memory of a container, for example `4g`. Containers have no swap. */
  memory: "SV_CONTAINER_MEMORY",
  /** Maximum number of processors, for example `1.5`. */
  cpus: "SV_CONTAINER_CPUS",
  /** Size of /tmp where the root is read-only, for example `2g`. Its content counts as memory. */
  tmp: "SV_CONTAINER_TMP",
  /** `on`: programs and libraries in /tmp can be executed where the root is read-only. Default: `off`. */
  tmpExec: "SV_CONTAINER_TMP_EXEC",
  /** Size of /dev/shm, for example `8g`. Its content counts as memory. */
  shm: "SV_CONTAINER_SHM",
  /** Maximum number of processes and threads. */
  pids: "SV_CONTAINER_PIDS",
  /** Maximum memory that a process may lock, for example `64m`, or `unlimited`. Default: the engine's. */
  memlock: "SV_CONTAINER_MEMLOCK",
  /** Platform of the image, for example `linux/amd64`. Default: that variable of the service, or the engine's own platform. */
  platform: "SV_CONTAINER_PLATFORM",
} as const;

export interface ContainerSettings {
  /** The container runs with the privileges that its image asks for, instead of the least. */
  readonly asImage: boolean;
  readonly memoryBytes: number;
  readonly cpus: number | undefined;
  readonly tmpBytes: number;
  readonly tmpExec: boolean;
  readonly shmBytes: number;
  readonly pids: number;
  /** Infinity for no limit; undefined for the engine's. */
  readonly memlockBytes: number | undefined;
  /** Undefined for the engine's own. */
  readonly platform: string | undefined;
}

const MB = 1024 ** 2;
const GB = 1024 ** 3;

/** Operating system, architecture, and a variant of some: `linux/arm64/v8`. */
const PLATFORM = /^linux\/[a-z0-9_]+(?:\/[a-z0-9.]+)?$/u;

/** Minimum memory of a container: the engine accepts 6 MB, but Node alone needs more. */
const MEMORY_MIN_BYTES = 32 * MB;
const TMP_DEFAULT_BYTES = 1 * GB;
/** Default shared memory. Model servers need more than the engine's default of 64 MB. */
const SHM_DEFAULT_BYTES = 1 * GB;
const PIDS_DEFAULT = 4_096;
/** Maximum process id of Linux. */
const PIDS_MAX = 4_194_304;

/** Default share of the machine's memory: a handler that takes too much fails before the machine does. */
const MEMORY_SHARE = 0.75;

const UNITS: Readonly<Record<string, number>> = { "": 1, k: 1024, m: MB, g: GB, t: 1024 * GB };

/**
 * The settings, or a sentence that says which variable is invalid.
 * @param servicePlatform `SV_CONTAINER_PLATFORM` of the service
 */
export function readContainerSettings(
  { env }: Pick<Template, "env">,
  machineBytes: number = os.totalmem(),
  servicePlatform: string | undefined = process.env[CONTAINER_ENV.platform],
): ContainerSettings | string {
  const { privileges, memory, cpus, tmp, tmpExec, shm, pids, memlock, platform } = CONTAINER_ENV;
  const got = (name: string) => `; got ${JSON.stringify(env[name])}`;
  const asked = env[privileges] || "least";
  if (asked !== "least" && asked !== "image")
    return `${privileges} must be least or image${got(privileges)}`;
  const memoryBytes = sizeOf(env[memory]) ?? Math.floor(machineBytes * MEMORY_SHARE);
  if (!(memoryBytes >= MEMORY_MIN_BYTES))
    return `${memory} must be a size like 4g, at least ${MEMORY_MIN_BYTES / MB}m${got(memory)}`;
  const tmpBytes = sizeOf(env[tmp]) ?? TMP_DEFAULT_BYTES;
  if (!(tmpBytes > 0)) return `${tmp} must be a size like 2g${got(tmp)}`;
  const isExecutable = env[tmpExec] || "off";
  if (isExecutable !== "on" && isExecutable !== "off")
    return `${tmpExec} must be on or off${got(tmpExec)}`;
  const shmBytes = sizeOf(env[shm]) ?? SHM_DEFAULT_BYTES;
  if (!(shmBytes > 0)) return `${shm} must be a size like 2g${got(shm)}`;
  const processes = Number(env[pids] || PIDS_DEFAULT);
  if (!(Number.isInteger(processes) && processes >= 1 && processes <= PIDS_MAX))
    return `${pids} must be an integer from 1 to ${PIDS_MAX}${got(pids)}`;
  const memlockBytes = env[memlock] === "unlimited" ? Infinity : sizeOf(env[memlock]);
  if (memlockBytes !== undefined && !(memlockBytes > 0))
    return `${memlock} must be a size like 64m, or unlimited${got(memlock)}`;
  const processors = env[cpus] ? Number(env[cpus]) : undefined;
  if (processors !== undefined && !(processors >= 0.01 && processors <= 1_024))
    return `${cpus} must be a number from 0.01 to 1024${got(cpus)}`;
  const kind = env[platform] || servicePlatform || undefined;
  if (kind !== undefined && !PLATFORM.test(kind))
    return `${platform} must be a platform like linux/amd64; got ${JSON.stringify(kind)}`;
  return {
    ...{ asImage: asked === "image", memoryBytes, cpus: processors, tmpBytes },
    ...{ tmpExec: isExecutable === "on", shmBytes, pids: processes, memlockBytes },
    platform: kind,
  };
}

/** Maximum memory of a container, in whole GiB. Undefined if the settings are invalid. */
export function containerMemoryInGb(template: Pick<Template, "env">): number | undefined {
  const settings = readContainerSettings(template);
  return typeof settings === "string" ? undefined : wholeGb(settings.memoryBytes);
}

/** NaN for a text that is not a size, undefined for an empty one. */
function sizeOf(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const [, number, unit = ""] = /^(\d{1,15})([kmgt]?)b?$/iu.exec(text) ?? [];
  return Number(number ?? Number.NaN) * (UNITS[unit.toLowerCase()] ?? Number.NaN);
}
