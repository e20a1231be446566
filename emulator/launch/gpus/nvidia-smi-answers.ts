/** Reads the answers of nvidia-smi: its table, its list of MIG devices, its header and its complaints. Pure. */
import { defined } from "../../../runtime/protocol/without-undefined.ts";
import type { GpuDevice, GpuUse } from "../../core/workers/gpu-allocation.ts";

const MIB = 1_024 ** 2;

/** Fields without which a line names no GPU. */
const NEEDED_FIELDS = ["index", "uuid", "name"] as const;
/** Fields that some drivers do not know (`compute_cap` came with 510), or that some GPUs leave empty. */
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
  /** True for a GPU in MIG mode, which cannot be used as a whole. */
  readonly isCut: boolean;
  /** Memory of the whole GPU, in GiB. */
  readonly memoryGb: number | undefined;
  readonly facts: Pick<GpuDevice, "driverVersion" | "computeCapability">;
}

export interface MigRow {
  readonly uuid: string;
  /** UUID of the GPU that the device is a part of. */
  readonly parent: string;
  /** Like `3g.20gb`. */
  readonly profile: string;
}

/** The rows of the table. Lines that name no device (`[N/A]`, `[GPU is lost]`, a message) are left out. */
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

/** The use of each GPU. Lines without memory, as for a GPU in MIG mode, are left out. */
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

/** The MIG devices in the output of `nvidia-smi -L`, where each follows its GPU. */
export function readMigList(stdout: string): readonly MigRow[] {
  let parent = "";
  return stdout.split("\n").flatMap((line) => {
    const [, profile, uuid] = /^\s+MIG ([\w.+]+)\s.*\(UUID: (MIG-[\w/-]+)\)/u.exec(line) ?? [];
    parent = /^GPU \d+:.*\(UUID: (GPU-[\w-]+)\)/u.exec(line)?.[1] ?? parent;
    return profile === undefined || uuid === undefined ? [] : [{ uuid, parent, profile }];
  });
}

/** The memory in the name of a profile, in GiB: `1c.3g.20gb`, `1g.10gb+me`. */
export function memoryOfProfile(profile: string): number | undefined {
  const [, gb] = /\.(\d+)gb\b/u.exec(profile) ?? [];
  return gb === undefined ? undefined : Number(gb);
}

/** The newest version of CUDA that the driver runs, from the header. Drivers from 610 on call it `CUDA UMD Version`. */
export function readCudaVersion(stdout: string): string | undefined {
  return /CUDA (?:UMD )?Version\s*:\s*(\d+\.\d+)/u.exec(stdout)?.[1];
}

/** The fields without the one that the driver complains about, if that one is optional. */
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
    "the driver was updated, but the old one is still loaded: restart this machine, or reload the kernel modules of nvidia",
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
    "the driver cannot be reached: if this is a container, restart it with its GPUs",
  ],
];

/** The complaint of an nvidia-smi that failed, and advice. */
export function explainFailure(complaint: string): string {
  const words = complaint.trim().replaceAll(/\s*\n\s*/gu, "; ");
  const [, advice] = ADVICE.find(([pattern]) => pattern.test(complaint)) ?? [];
  return advice === undefined ? words : `${words}; ${advice}`;
}

/** Undefined for a cell without a value, like `[N/A]`, `[Not Supported]` or `[Unknown Error]`. */
function said(cell: string | undefined): string | undefined {
  return cell === undefined || cell === "" || cell.startsWith("[") || cell === "N/A"
    ? undefined
    : cell;
}
