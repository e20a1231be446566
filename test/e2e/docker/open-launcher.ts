/** The Docker launcher without a service, on a test's engine. */
import fs from "node:fs";
import { once } from "node:events";
import net from "node:net";
import path from "node:path";
import type { RegistryCredentials } from "../../../emulator/core/resources/registry-auths/registry-auth.ts";
import type { ContainerEngine } from "../../../emulator/launch/docker/container-engine.ts";
import {
  createDockerLauncher,
  type DockerLauncher,
} from "../../../emulator/launch/docker/docker-launcher.ts";
import { createDockerodeEngine } from "../../../emulator/launch/docker/dockerode-engine.ts";
import { createSystemClock } from "../../../emulator/assembly/system-clock.ts";
import type { TestDocker } from "../../setup/docker.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

export interface OpenedLauncher extends AsyncDisposable {
  readonly launcher: DockerLauncher;
  /** The output lines of workers, each after the worker's id. */
  readonly lines: string[];
  /** The log messages of the launcher. */
  readonly said: string[];
  /** The ids of its containers, running or not. */
  containers(): Promise<readonly string[]>;
  /** The ids of its networks. */
  networks(): Promise<readonly string[]>;
}

export interface OpenOptions {
  readonly credentials?: RegistryCredentials;
  /** Directory of the network volume of its workers. */
  readonly volume?: string | undefined;
  /** Replaces the engine that the launcher gets. */
  readonly around?: (engine: ContainerEngine) => ContainerEngine;
}

export async function openLauncher(
  docker: TestDocker,
  { credentials, volume, around = (engine) => engine }: OpenOptions = {},
): Promise<OpenedLauncher> {
  const temporary = temporaryDirectory();
  const workerSocket = path.join(temporary.path, "worker.sock");
  const server = net.createServer().listen(workerSocket);
  await once(server, "listening");
  fs.chmodSync(workerSocket, 0o666);
  const emulator = crypto.randomUUID();
  const lines: string[] = [];
  const said: string[] = [];
  const say = (_: object, message: string) => void said.push(message);
  const launcher = createDockerLauncher({
    engine: around(createDockerodeEngine(docker.host)),
    emulator,
    workerSocket,
    // These workers call no service.
    placesOf: async (_, { engine }) => ({
      worker:
        engine === "here" ? { socket: workerSocket } : { address: "tls://x:1", token: "a-token" },
      ...{ volume, env: {}, user: "1000:1000" },
    }),
    networkVolumeOf: async () => undefined,
    podLine: ({ pod }, line) => void lines.push(`${pod.id}: ${line}`),
    credentialsOf: async () => credentials,
    line: ({ workerId }, line) => void lines.push(`${workerId}: ${line}`),
    willing: () => undefined,
    log: { info: say, warn: say },
    clock: createSystemClock(),
  });
  const idsOf = async (...command: string[]) => {
    const list = await docker.ask(...command, "--filter", `label=sv.emulator=${emulator}`);
    return list.split("\n").filter((line) => line !== "");
  };
  return {
    launcher,
    lines,
    said,
    containers: () => idsOf("ps", "-aq"),
    networks: () => idsOf("network", "ls", "-q"),
    async [Symbol.asyncDispose]() {
      await launcher.close();
      server.close();
      temporary[Symbol.dispose]();
    },
  };
}
