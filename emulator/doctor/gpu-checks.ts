/** Checks of the way to NVIDIA GPUs: driver, CUDA of the base image, container toolkit, CDI specifications. Reads only. */
import { execFile } from "node:child_process";
import fs from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { meetsCudaRequirement } from "../core/workers/cuda-requirement.ts";
import {
  driverInWords,
  type GpuDevice,
  type GpuInventory,
  inventoryInWords,
} from "../core/workers/gpu-allocation.ts";
import type { EngineReport } from "../launch/docker/engine-report.ts";
import { gpuFinder } from "../launch/gpus/find-gpus.ts";
import { type Finding, splitAdvice } from "./check.ts";

/** Timeout of `nvidia-ctk --version`. */
const TOOLKIT_MS = 5_000;

/** Directories of CDI specifications. */
const CDI_DIRECTORIES: readonly string[] = ["/etc/cdi", "/var/run/cdi"];

const IN_CONTAINERS = { neededFor: ["images", "gpus"] } as const;

export interface GpuCheckOptions {
  /** The base image of builds. */
  readonly baseImage: string;
  readonly engine: EngineReport | undefined;
  /** Default: asks nvidia-smi. */
  readonly find?: () => Promise<GpuInventory>;
  /** Default: `nvidia-ctk` of PATH. */
  readonly toolkit?: string;
  readonly cdiDirectories?: readonly string[];
}

export async function gpuChecks(options: GpuCheckOptions): Promise<readonly Finding[]> {
  const { find = gpuFinder() } = options;
  const found = await find();
  const driver = driverCheck(found);
  if (found.kind !== "known") return [driver];
  const base = baseCheck(options.baseImage, found.devices);
  return [
    driver,
    ...base,
    await toolkitCheck(options.toolkit),
    ...runtimeCheck(options.engine),
    await cdiCheck(options.engine, options.cdiDirectories),
  ];
}

function driverCheck(found: GpuInventory): Finding {
  const about = { name: "NVIDIA driver", neededFor: ["gpus"] } as const;
  if (found.kind === "unknown") {
    const { cure = "install NVIDIA's driver, and check it with nvidia-smi", ...told } = splitAdvice(
      found.reason,
    );
    return { ...about, ...told, cure, isGood: false };
  }
  const devices = found.kind === "known" ? found.devices : [];
  const gives = driverInWords(devices);
  const words = [inventoryInWords(devices), ...(gives === undefined ? [] : [gives])];
  return { ...about, isGood: devices.length > 0, found: words.join(", ") };
}

/** Nothing for a base image without a version of CUDA in its name. */
function baseCheck(baseImage: string, devices: readonly GpuDevice[]): readonly Finding[] {
  const [, needed] = /(?:^|\/)cuda:(\d+\.\d+)/u.exec(baseImage) ?? [];
  if (needed === undefined) return [];
  const isGood = devices.every(({ cudaVersion }) =>
    meetsCudaRequirement(cudaVersion, { minCudaVersion: needed }),
  );
  const gives = driverInWords(devices) ?? "the driver does not tell its CUDA";
  const cure = `update the driver, or build with an image of an older CUDA: --base-image nvidia/cuda:…`;
  const found = isGood ? `${baseImage}: ${gives}` : `${baseImage} needs CUDA ${needed}, ${gives}`;
  return [{ name: "CUDA of the base", isGood, found, cure, ...IN_CONTAINERS }];
}

async function toolkitCheck(program = "nvidia-ctk"): Promise<Finding> {
  const about = { name: "container toolkit", ...IN_CONTAINERS };
  try {
    const { stdout } = await promisify(execFile)(program, ["--version"], { timeout: TOOLKIT_MS });
    const [, version = "of an unknown version"] = /version (\S+)/u.exec(stdout) ?? [];
    return { ...about, isGood: true, found: `nvidia-ctk ${version}` };
  } catch {
    const cure = "install the package nvidia-container-toolkit from NVIDIA's repository";
    return { ...about, isGood: false, found: "nvidia-ctk was not found", cure };
  }
}

/** An engine with neither may still find the toolkit's hook by itself, as Docker's own does if it is in its PATH. */
function runtimeCheck(engine: EngineReport | undefined): readonly Finding[] {
  if (engine === undefined) return [];
  const devices = engine.cdiDevices.filter((device) => device.startsWith("nvidia.com/"));
  const ways = [
    ...(engine.runtimes.includes("nvidia") ? ["the runtime nvidia"] : []),
    ...(devices.length > 0 ? [`${devices.join(" and ")} by CDI`] : []),
  ];
  const cure =
    'run "sudo nvidia-ctk runtime configure --runtime=docker" and restart Docker. Docker also uses the hook of the toolkit if it was started after the installation';
  const found = ways.length > 0 ? ways.join(", ") : "neither the runtime nvidia nor devices by CDI";
  return [{ name: "engine's GPUs", isGood: ways.length > 0, found, cure }];
}

async function cdiCheck(
  engine: EngineReport | undefined,
  directories = CDI_DIRECTORIES,
): Promise<Finding> {
  const isPodman = /podman/iu.test(engine?.foreignName ?? "");
  const files = (await Promise.all(directories.map(specsIn))).flat();
  const generate = "run sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml";
  const cure = isPodman ? generate : `Docker works without them. If you want them: ${generate}`;
  const found =
    files.length > 0 ? files.join(", ") : `none for NVIDIA in ${directories.join(", ")}`;
  const about = { name: "CDI specifications", found, cure };
  return { ...about, isGood: files.length > 0, ...(isPodman && IN_CONTAINERS) };
}

/** The specifications for NVIDIA's GPUs in a directory, which may be missing. */
async function specsIn(directory: string): Promise<readonly string[]> {
  const names = await fs.readdir(directory).catch(() => []);
  const files = names.filter((name) => /\.(?:ya?ml|json)$/u.test(name));
  const texts = await Promise.all(
    files.map(async (name) => {
      const file = path.join(directory, name);
      const text = await fs.readFile(file, "utf8").catch(() => "");
      return text.includes("nvidia.com/gpu") ? [file] : [];
    }),
  );
  return texts.flat();
}
