/** Recognizes in the lines of a program that it met a limit of its container, and names the setting of the limit. Pure. */
import type { GpuDevice } from "../../core/workers/gpu-allocation.ts";
import { CONTAINER_ENV, type ContainerSettings } from "../container-settings.ts";
import { driverIsTooOld, FOREIGN_PROGRAM } from "./start-causes.ts";

export interface Bounds {
  readonly settings: ContainerSettings;
  /** True for a pod: its node bounds processes and locked memory, and programs in its /tmp can be executed. */
  readonly isPod: boolean;
  /** Devices of the container, if this service assigned them. */
  readonly gpus: readonly GpuDevice[];
}

/**
 * @param settings a sentence if they are invalid
 * @param asImage true if it has the privileges of its image, whatever the settings say
 */
export function boundsOf(
  settings: ContainerSettings | string,
  { asImage = false, ...of }: Omit<Bounds, "settings"> & { readonly asImage?: boolean | undefined },
): Bounds | undefined {
  if (typeof settings === "string") return undefined;
  return { ...of, settings: { ...settings, asImage: settings.asImage || asImage } };
}

interface Sign {
  readonly seen: RegExp;
  /** A sentence about the limit. Undefined if it is not a limit of this container. */
  readonly limit: (bounds: Bounds) => string | undefined;
}

const IN_TEMPLATE = "in the env of its template";

const GB = 1024 ** 3;
const MB = 1024 ** 2;

const OLD_DRIVER =
  /CUDA driver version is insufficient|NVIDIA driver on your system is too old|cudaErrorInsufficientDriver/u;
const NEWER_CUDA = "its CUDA is newer than the driver";

/** The first sign in a line counts. */
const SIGNS: readonly Sign[] = [
  {
    seen: /read-only file ?system|\bEROFS\b/iu,
    limit: ({ settings }) =>
      settings.asImage
        ? undefined
        : `its root is read-only: write below HOME or /tmp, or set ${CONTAINER_ENV.privileges}=image ${IN_TEMPLATE}`,
  },
  {
    seen: /failed to map segment from shared object|spawn \/tmp\/\S{1,99} EACCES|\/tmp\/[^\s:'"]{1,99}['"]?: Permission denied|Permission denied: \\?['"]\/tmp\//u,
    limit: ({ settings, isPod }) =>
      settings.asImage || settings.tmpExec || isPod
        ? undefined
        : `programs and libraries in /tmp cannot be executed: ${set("tmpExec", "on")}`,
  },
  {
    seen: /(?:fork|clone|thread|spawn)\b.{0,99}(?:Resource temporarily unavailable|\bEAGAIN\b)|can't start new thread|BlockingIOError: \[Errno 11\]|unable to create (?:new )?native thread|failed to create new OS thread/iu,
    limit: ({ settings, isPod }) =>
      isPod
        ? "its node limits processes and threads: podPidsLimit of the kubelet sets the maximum"
        : `it may have ${settings.pids} processes and threads: ${set("pids", "NUMBER")}`,
  },
  {
    seen: /\bbus error\b|\bSIGBUS\b|\/dev\/shm\b.{0,99}(?:No space left on device|\bENOSPC\b)|(?:No space left on device|\bENOSPC\b).{0,99}(?:\/dev\/shm\b|\/psm_|\/torch_)|shared memory segment/iu,
    limit: sharedMemory,
  },
  {
    seen: /No space left on device|\bENOSPC\b/u,
    limit: ({ settings }) =>
      settings.asImage
        ? undefined
        : `/tmp holds ${inWords(settings.tmpBytes)} and /dev/shm ${inWords(settings.shmBytes)}: ${CONTAINER_ENV.tmp} and ${CONTAINER_ENV.shm} ${IN_TEMPLATE} set their sizes`,
  },
  {
    seen: /RLIMIT_MEMLOCK|memlock|\bmlock(?:all)?\b.{0,99}(?:Cannot allocate memory|\bENOMEM\b|Operation not permitted|failed)/iu,
    limit: ({ isPod }) =>
      isPod
        ? "it may lock no more memory: the container runtime of its node sets RLIMIT_MEMLOCK"
        : `it may lock no more memory: ${set("memlock", "SIZE, or unlimited,")}`,
  },
  { seen: /exec format error/iu, limit: () => FOREIGN_PROGRAM },
  { seen: OLD_DRIVER, limit: ({ gpus }) => driverIsTooOld(NEWER_CUDA, gpus) },
];

/** Maximum length of the part of a line that is searched. A program may write any number of long lines. */
const SEARCHED_CHARACTERS = 2_000;

/** Quick look whether any sign is in a line. */
const ANY_SIGN = new RegExp(SIGNS.map(({ seen }) => seen.source).join("|"), "iu");

/** A sentence about the limit that the line is about. Undefined for other lines. */
export function limitMet(line: string, bounds: Bounds): string | undefined {
  const text = line.slice(0, SEARCHED_CHARACTERS);
  if (!ANY_SIGN.test(text)) return undefined;
  return SIGNS.find(({ seen }) => seen.test(text))?.limit(bounds);
}

/** A sentence about a driver that is older than the CUDA of a process. This service sets no other limit of a process. */
export function driverMet(line: string, gpus: readonly GpuDevice[]): string | undefined {
  const isMet = OLD_DRIVER.test(line.slice(0, SEARCHED_CHARACTERS));
  return isMet ? driverIsTooOld(NEWER_CUDA, gpus) : undefined;
}

/** A full /dev/shm ends a program by SIGBUS, without a line. */
export function sharedMemory({ settings }: Bounds): string {
  return `/dev/shm holds ${inWords(settings.shmBytes)}: ${set("shm", "SIZE")}`;
}

function set(name: keyof typeof CONTAINER_ENV, value: string): string {
  return `set ${CONTAINER_ENV[name]}=${value} ${IN_TEMPLATE}`;
}

function inWords(bytes: number): string {
  return bytes % GB === 0 ? `${bytes / GB} GB` : `${Math.round(bytes / MB)} MB`;
}
