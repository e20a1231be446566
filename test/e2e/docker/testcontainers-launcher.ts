/** A launcher that starts each worker with testcontainers. */
import { GenericContainer, type StartedTestContainer, Wait } from "testcontainers";
import type { LaunchedWorker, Launcher, WorkerOrder } from "../../../emulator/launch/launcher.ts";
import { workerEnvironment } from "../../../emulator/launch/worker-environment.ts";
import { WORKER_ENV } from "../../../runtime/protocol/environment/worker-env.ts";
import type { TestDocker } from "../../setup/docker.ts";

const SOCKET = "/run/sv-worker.sock";

/** A health check with a shorter interval than the image's. */
const HEALTH_CHECK: Parameters<GenericContainer["withHealthCheck"]>[0] = {
  test: ["CMD", "sv-worker-health"],
  interval: 200,
};

/** Timeout of a worker that finishes its jobs. */
const LEAVES_MS = 60_000;

export class TestcontainersLauncher implements Launcher {
  readonly #docker: TestDocker;
  readonly #image: string;
  /** Path of the worker port's socket on this machine. */
  readonly #workerSocket: string;
  readonly #started = new Map<string, Promise<StartedTestContainer>>();

  constructor(docker: TestDocker, image: string, workerSocket: string) {
    this.#docker = docker;
    this.#image = image;
    this.#workerSocket = workerSocket;
  }

  refuses(): undefined {
    return undefined;
  }

  /** The container of the endpoint's worker, once the worker is healthy. */
  async containerOf(endpointId: string): Promise<StartedTestContainer> {
    const container = await this.#started.get(endpointId);
    if (container === undefined) throw new Error(`${endpointId} has no worker`);
    return container;
  }

  launch(order: WorkerOrder): LaunchedWorker {
    const started = this.#start(order);
    this.#started.set(order.endpoint.id, started);
    const leave = () =>
      void started.then((container) => container.stop({ timeout: LEAVES_MS, remove: false }));
    return {
      kind: "container",
      exited: this.#end(started),
      drain: leave,
      kill: () => void started.then((container) => container.stop({ timeout: 0, remove: false })),
    };
  }

  async close(): Promise<void> {}

  #start(order: WorkerOrder): Promise<StartedTestContainer> {
    const { [WORKER_ENV.exitOnStdinEnd]: _, ...env } = workerEnvironment(order, `unix:${SOCKET}`);
    const [name = "", value = ""] = this.#docker.label.split("=");
    return new GenericContainer(this.#image)
      .withEnvironment(env)
      .withLabels({ [name]: value })
      .withBindMounts([{ source: this.#workerSocket, target: SOCKET }])
      .withTmpFs({ "/tmp": "rw,noexec,nosuid,size=64m" })
      .withDroppedCapabilities("ALL")
      .withSecurityOpt("no-new-privileges")
      .withHealthCheck(HEALTH_CHECK)
      .withWaitStrategy(Wait.forHealthCheck())
      .start();
  }

  async #end(started: Promise<StartedTestContainer>) {
    const unknown = { signal: undefined, outOfMemory: false, lastLogLines: [] };
    try {
      const id = (await started).getId();
      const exitCode = Number(await this.#docker.ask("wait", id));
      return { ...unknown, exitCode, startError: undefined };
    } catch (error) {
      return { ...unknown, exitCode: undefined, startError: String(error) };
    }
  }
}
