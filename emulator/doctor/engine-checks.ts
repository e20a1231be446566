/** Checks of the container engine: whether it answers, where it runs, its disk, and its way to GPUs. Reads only. */
import os from "node:os";
import { dockerUnreachable } from "../docker/docker-unreachable.ts";
import { EngineError } from "../launch/docker/container-engine.ts";
import { type EngineReport, reportOfEngine } from "../launch/docker/engine-report.ts";
import { type Finding, sizeInWords, splitAdvice } from "./check.ts";
import { freeBytes } from "./machine-checks.ts";

/** Minimum free space of the engine's disk: a base image with CUDA, a model, and a build of both. */
const DISK_MIN_BYTES = 20 * 1024 ** 3;

const IMAGES = { neededFor: ["images"] } as const;

/** The engine's own report, if it answers, and the findings about it. */
export interface EngineChecks {
  readonly report: EngineReport | undefined;
  readonly findings: readonly Finding[];
}

/** @param dockerHost the value of `DOCKER_HOST`, if it is set */
export async function engineChecks(dockerHost: string | undefined): Promise<EngineChecks> {
  const name = "container engine";
  try {
    const report = await reportOfEngine(dockerHost);
    const about: Finding = { name, isGood: true, found: inWords(report, dockerHost) };
    return { report, findings: [about, placeCheck(report), ...(await diskCheck(report))] };
  } catch (error) {
    const problem =
      error instanceof EngineError ? error.message : dockerUnreachable(error, dockerHost);
    const finding: Finding = { name, isGood: false, ...splitAdvice(problem), ...IMAGES };
    return { report: undefined, findings: [finding] };
  }
}

function inWords(report: EngineReport, dockerHost = ""): string {
  const { foreignName, version, platform = "unknown platform", isRootless } = report;
  const name = foreignName ?? `Docker ${version}`;
  const where = dockerHost === "" ? "" : ` at ${dockerHost}`;
  return `${name}${where}, ${platform}${isRootless ? ", rootless" : ""}`;
}

/** Containers of an engine with another kernel have nothing of this machine but what is shared with its virtual machine. */
function placeCheck({ kernel, isRootless }: EngineReport): Finding {
  const name = "volumes";
  if (kernel !== undefined && kernel !== os.release()) {
    const found = `the engine runs elsewhere: its kernel is ${kernel}, and this machine's ${os.release()}`;
    const cure =
      "share the directory of the project, with .sv/volumes, in the settings of the engine's virtual machine. Without volumes nothing is to be done";
    return { name, isGood: false, found, cure };
  }
  if (!isRootless)
    return { name, isGood: true, found: "the engine mounts directories of this machine" };
  const found = "the engine is rootless: only containers that run as root can write to volumes";
  const cure =
    "set SV_CONTAINER_PRIVILEGES=image in the env of templates with a volume, with an image that runs as root";
  return { name, isGood: false, found, cure };
}

/** Nothing for an engine whose disk cannot be seen from here. */
async function diskCheck({ kernel, rootDirectory }: EngineReport): Promise<readonly Finding[]> {
  if (rootDirectory === undefined || kernel !== os.release()) return [];
  try {
    const free = await freeBytes(rootDirectory);
    return [
      {
        ...{ name: "engine's disk", isGood: free >= DISK_MIN_BYTES },
        found: `${rootDirectory}: ${sizeInWords(free)} free`,
        cure: `make room, for example with "docker system prune": images with CUDA and models take ${sizeInWords(DISK_MIN_BYTES)} and more`,
      },
    ];
  } catch {
    return [];
  }
}
