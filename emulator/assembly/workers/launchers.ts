/** Makes the launchers of workers: handler files and commands run as processes, images as containers or as pods. */
import { join } from "node:path";
import { type Containers, createContainers } from "./containers.ts";
import { createKubernetes, type KubernetesOptions, type KubernetesParts } from "./kubernetes.ts";
import type { Template } from "../../core/resources/templates/template.ts";
import type { HandlerFiles } from "../../handlers/handler-files.ts";
import { createCommandLauncher } from "../../launch/processes/command-launcher.ts";
import type { KubernetesLauncher } from "../../launch/kubernetes/kubernetes-launcher.ts";
import type { Launcher, WorkerOrder } from "../../launch/launcher.ts";
import { createProcessLauncher } from "../../launch/processes/process-launcher.ts";
import { workerPrograms } from "../../launch/processes/supervisor.ts";
import { localImage } from "../../handlers/local-endpoint.ts";
import type { EmulatorOptions } from "../../options.ts";

export interface LaunchersOptions
  extends
    Omit<Parameters<typeof createContainers>[0], "docker" | "line">,
    Pick<KubernetesParts, "elsewhere" | "found" | "http" | "isOurs" | "webhooks"> {
  readonly emulator: Pick<
    EmulatorOptions,
    "docker" | "workerLine" | "commands" | keyof KubernetesOptions
  >;
  readonly handlerFiles: HandlerFiles;
  /** Returns the URL for live workers of this machine. Called at each launch. */
  readonly liveUrl: () => string;
  /** Directory for files of this run. */
  readonly temporaryDir: string;
  /** Variables for a worker that is a process. Its template's variables win. Must not throw. */
  readonly workerEnv: (order: WorkerOrder) => Readonly<Record<string, string>>;
}

export interface Launchers {
  /** All launchers of workers. */
  readonly all: readonly Launcher[];
  /** Also starts pods on this machine. */
  readonly containers: Containers;
  /** Undefined without a cluster. */
  readonly kubernetes: KubernetesLauncher | undefined;
}

export function createLaunchers(options: LaunchersOptions): Launchers {
  const { emulator, handlerFiles, workerEnv, workerSocket } = options;
  const serviceAddress = () => `unix:${workerSocket}`;
  const line = ({ workerId, endpoint }: Pick<WorkerOrder, "endpoint" | "workerId">, text: string) =>
    emulator.workerLine?.({ workerId, endpointId: endpoint.id, line: text });
  const processes = createProcessLauncher({
    ...workerPrograms(),
    serviceAddress,
    handlerOf: (template) => handlerFiles.moduleOf(template),
    extraEnv: workerEnv,
    line,
  });
  const commands = createCommandLauncher({
    commandOf: commandsOf(options),
    serviceAddress,
    liveService: () => ({ ...options.liveTerms, url: options.liveUrl() }),
    places: join(options.temporaryDir, "workers"),
    extraEnv: workerEnv,
    line,
  });
  const containers = createContainers({ ...options, docker: emulator.docker, line });
  const kubernetes = createKubernetes({ ...options, line });
  return { all: [processes, commands, kubernetes ?? containers], containers, kubernetes };
}

function commandsOf({ emulator: { commands = [] } }: LaunchersOptions) {
  const byImage = new Map(commands.map((each) => [localImage(each), each]));
  return ({ imageName }: Template) => byImage.get(imageName);
}
