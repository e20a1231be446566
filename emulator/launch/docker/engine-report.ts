/** Asks a Docker engine about itself, for people: version, place, disk, runtimes. */
import type { DockerVersion } from "dockerode";
import { type Abortable, askDockerode, ENGINE_LIMITS } from "./ask-dockerode.ts";
import type { EngineFacts } from "./container-engine.ts";
import { factsOf } from "./engine-answers.ts";

export interface EngineReport extends EngineFacts {
  readonly version: string;
  /** Directory of images and containers, on the engine's machine. */
  readonly rootDirectory: string | undefined;
  /** Names of its runtimes, like `runc` or `nvidia`. */
  readonly runtimes: readonly string[];
  /** Names of the devices that it found by CDI, like `nvidia.com/gpu=all`. Engines before 28.2 tell none. */
  readonly cdiDevices: readonly string[];
}

interface Info {
  readonly DockerRootDir?: string;
  readonly Runtimes?: Readonly<Record<string, unknown>>;
  readonly DiscoveredDevices?: readonly { readonly ID?: string }[];
}

/** @param host the value of `DOCKER_HOST`, if it is set. @throws EngineError */
export function reportOfEngine(host: string | undefined): Promise<EngineReport> {
  const { ask } = askDockerode(host === "" ? undefined : host);
  return ask(ENGINE_LIMITS.greetMs, async (docker, abortSignal) => {
    const asked: Abortable<DockerVersion> = docker.version.bind(docker);
    const told: Abortable<unknown> = docker.info.bind(docker);
    const version = await asked({ abortSignal });
    const info = await told({ abortSignal });
    const { DockerRootDir, Runtimes = {}, DiscoveredDevices = [] }: Info = info ?? {};
    return {
      ...factsOf(version, info),
      version: version.Version,
      rootDirectory: DockerRootDir,
      runtimes: Object.keys(Runtimes),
      cdiDevices: DiscoveredDevices.flatMap(({ ID: id }) => id ?? []),
    };
  });
}
