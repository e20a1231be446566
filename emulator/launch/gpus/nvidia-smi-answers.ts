/** What the answers of nvidia-smi mean: its table, its list of MIG devices, its header and its complaints. Pure. */
import { defined } from "../../../runtime/protocol/without-undefined.ts";
import type { GpuDevice, GpuUse } from "../../core/workers/gpu-allocation.ts";

const MIB = 1_024 ** 2;

/** Without these a line names no GPU. */
const NEEDED_FIELDS = ["index", "uuid", "name"] as const;
/** Not every driver knows them (`compute_cap` came with 510), and not every GPU has something to say. */
const FURTHER_FIELDS = [
  "memory.total",
  "compute_cap",
  "mig.mode.current",
  "driver_version",
] as const;

export const GPU_FIELDS: readonly string[] = [...NEEDED_FIELDS, ...FURTHER_FIELDS];

export interface GpuRow {
  readonly index: string;
  readonly uuid: string;
  readonly name: string;
  /** It is cut into MIG devices and cannot be used as a whole. */
  readonly isCut: boolean;
  /** Of the whole GPU, in GiB. */
  readonly memoryGb: number | undefined;
  readonly facts: Pick<GpuDevice, "driverVersion" | "computeCapability">;
}

export interface MigRow {
  readonly uuid: string;
  /** Of the GPU it is a part of. */
  readonly parent: string;
  /** Like `3g.20gb`. */
  readonly profile: string;
}

/** The lines of the table; one that names no device (`[N/A]`, `[GPU is lost]`, a message) is left out. */
export function readGpuTable(stdout: string, fields: readonly string[]): readonly GpuRow[] {
  return stdout.split("\n").flatMap((line) => {
    const cells = line.split(",").map((cell) => cell.trim());
    const value = (field: string) => said(cells[fields.indexOf(field)]);
    const [index, uuid, name] = NEEDED_FIELDS.map(value);
    if (index === undefined || name === undefined || !uuid?.startsWith("GPU-")) return [];
    const mib = Number(value("memory.total"));
    const memoryGb = mib > 0 ? Math.round(mib / 102.4) / 10 : undefined;
    const facts = defined({
      driverVersion: value("driver_version"),
      computeCapability: value("compute_cap"),
    });
    const isCut = value("mig.mode.current") === "Enabled";
    return [{ index, uuid, name, isCut, memoryGb, facts }];
  });
}

export const GPU_USE_FIELDS = ["uuid", "memory.used", "memory.total", "utilization.gpu"] as const;

/** A line whose memory is not told, as of a GPU that is cut into MIG devices, is left out. */
export function readGpuUse(stdout: string): readonly GpuUse[] {
  return stdout.split("\n").flatMap((line) => {
    const [id, used, total, busy] = line.split(",").map((cell) => said(cell.trim()));
    if (id === undefined || used === undefined || total === undefined) return [];
    const [usedBytes, totalBytes] = [Number(used) * MIB, Number(total) * MIB];
    if (!Number.isFinite(usedBytes) || !Number.isFinite(totalBytes)) return [];
    return [
      { id, usedBytes, totalBytes, busyPercent: busy === undefined ? undefined : Number(busy) },
    ];
  });
}

/** The MIG devices of `nvidia-smi -L`, which stand behind the GPU they are a part of. */
export function readMigList(stdout: string): readonly MigRow[] {
  let parent = "";
  return stdout.split("\n").flatMap((line) => {
    const [, profile, uuid] = /^\s+MIG ([\w.+]+)\s.*\(UUID: (MIG-[\w/-]+)\)/u.exec(line) ?? [];
    parent = /^GPU \d+:.*\(UUID: (GPU-[\w-]+)\)/u.exec(line)?.[1] ?? parent;
    return profile === undefined || uuid === undefined ? [] : [{ uuid, parent, profile }];
  });
}

/** The memory that a profile names, in GiB: `1c.3g.20gb`, `1g.10gb+me`. */
export function memoryOfProfile(profile: string): number | undefined {
  const [, gb] = /\.(\d+)gb\b/u.exec(profile) ?? [];
  return gb === undefined ? undefined : Number(gb);
}

/** The newest version of CUDA that the driver runs, which stands in the header; drivers from 610 on call it `CUDA UMD Version`. */
export function readCudaVersion(stdout: string): string | undefined {
  return /CUDA (?:UMD )?Version\s*:\s*(\d+\.\d+)/u.exec(stdout)?.[1];
}

/** The fields without the one that this driver does not know, where that is its complaint and can be done without. */
export function fieldsWithoutUnknown(
  fields: readonly string[],
  complaint: string,
): readonly string[] | undefined {
  const [, unknown = ""] = /Field "([\w.]+)" is not a valid field/u.exec(complaint) ?? [];
  const isNeeded = NEEDED_FIELDS.some((field) => field === unknown);
  if (isNeeded || !fields.includes(unknown)) return undefined;
  return fields.filter((field) => field !== unknown);
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /Driver\/library version mismatch/iu,
    "the driver was updated while the former one is still loaded, so restart this machine, or unload and load the kernel modules of nvidia",
  ],
  [
    /couldn't communicate with the NVIDIA driver|driver not loaded/iu,
    "the driver is not loaded: install it, or load it with modprobe nvidia",
  ],
  [
    /GPU is lost|device handle/iu,
    "a GPU does not answer any more: dmesg may say why, and a restart of this machine brings it back",
  ],
  [
    /Failed to initialize NVML/iu,
    "the driver cannot be reached: in a container, start that anew with its GPUs",
  ],
];

/** What nvidia-smi said when it failed, and what to do about it. */
export function failureInWords(complaint: string): string {
  const words = complaint.trim().replaceAll(/\s*\n\s*/gu, "; ");
  const [, advice] = ADVICE.find(([pattern]) => pattern.test(complaint)) ?? [];
  return advice === undefined ? words : `${words}; ${advice}`;
}

/** In brackets stands why there is nothing to say: `[N/A]`, `[Not Supported]`, `[Unknown Error]`. */
function said(cell: string | undefined): string | undefined {
  return cell === undefined || cell === "" || cell.startsWith("[") || cell === "N/A"
    ? undefined
    : cell;
}
