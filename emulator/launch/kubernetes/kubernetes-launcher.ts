/** Launcher that runs each worker as a pod of a Kubernetes cluster. */
import { imageNameProblem } from "../../core/resources/image-name.ts";
import { LOCAL_IMAGE_PREFIX, type Template } from "../../core/resources/template.ts";
import type { Clock } from "../../core/time/clock.ts";
import { isServer } from "../container-environment.ts";
import { readContainerSettings } from "../container-settings.ts";
import { pause } from "../../core/time/pause.ts";
import type {
  FoundWorker,
  LaunchedWorker,
  Launcher,
  OutlivingWorkers,
  ServerAddress,
  WorkerOrder,
} from "../launcher.ts";
import { serverSettings } from "../server-settings.ts";
import { Leftovers } from "./leftovers.ts";
import { NO_BOUND, PodMaker, type PodMakerOptions } from "./pod-maker.ts";
import { ownersOf, selectorOf, workerIn } from "./pod-names.ts";
import { type PodHost, type PodRole, PodRun } from "./pod-run.ts";
import { stateOf } from "./pod-state.ts";
import { PodWatch } from "./pod-watch.ts";
import type { SeenPod } from "./seen-pod.ts";

export interface KubernetesLauncherOptions extends PodMakerOptions {
  /** Whether this process starts the workers of the endpoint; if not, another one of the same service does. */
  readonly isOurs: (endpointId: string) => boolean;
  /** Called when it was looked which pods there are, before those are deleted that no worker stands behind. */
  readonly found: () => void;
  /** Called with each line a worker writes. */
  readonly line: (order: Pick<WorkerOrder, "endpoint" | "workerId">, line: string) => void;
  /** Called when workers can be started that could not before. */
  readonly willing: () => void;
  readonly clock: Clock;
}

export interface KubernetesLauncher extends Launcher {
  /**
   * Looks for the cluster: workers of former processes are found, and what nobody stands behind is deleted. Resolves when it was looked, or
   * it does not answer. Call it before workers are started. Never rejects.
   */
  reach(): Promise<void>;
  /** To be called when the service begins to stop: from then on pods whose API server does not answer are left to the next start. */
  beginStop(): void;
}

type Adoption = Parameters<OutlivingWorkers["adopt"]>[0];

/** How long an API server that does not answer is waited for while the service stops. */
const STOP_PATIENCE_MS = 10_000;
const STOP_ASK_MS = 500;

/** A pod that is asked to leave has so long; the engine ends those that take too long before. */
const LEAVE_SECONDS = 600;

export function createKubernetesLauncher(options: KubernetesLauncherOptions): KubernetesLauncher {
  return new Kubernetes(options);
}

class Kubernetes implements KubernetesLauncher, OutlivingWorkers {
  readonly assignsGpus = true;
  readonly outliving = this;
  readonly #options: KubernetesLauncherOptions;
  readonly #running = new Map<string, PodRun>();
  readonly #maker: PodMaker;
  readonly #watch: PodWatch;
  readonly #leftovers: Leftovers;
  readonly #host: PodHost;
  #isStopping = false;
  #isClosed = false;

  constructor(options: KubernetesLauncherOptions) {
    const { cluster, clock, log, found, isOurs, service, willing } = options;
    this.#options = options;
    this.#maker = new PodMaker(options);
    this.#leftovers = new Leftovers({
      clock,
      log,
      offer: found,
      pods: () => this.#watch.pods,
      isLeftover: (pod) => {
        const { endpointId, workerId } = ownersOf(pod);
        return !this.#isStopping && isOurs(endpointId) && !this.#running.has(workerId);
      },
      remove: (pod) => this.#maker.remove(pod),
    });
    this.#watch = new PodWatch({
      ...{ cluster, clock, log },
      selector: selectorOf(service),
      saw: (pod) => this.#runOf(pod)?.saw(pod),
      gone: (pod) => this.#runOf(pod)?.gone(pod),
      listing: () => this.#listing(),
      back: willing,
    });
    this.#host = {
      clock,
      deletePod: (pod, seconds) => cluster.deletePod(pod, seconds),
      remove: (pod) => (pod === undefined ? Promise.resolve() : this.#maker.remove(pod)),
      eventsOf: (pod) => cluster.eventsOf(pod),
      openLog: (pod, sinceTime, signal) => cluster.followLog(pod, sinceTime, signal),
    };
  }

  refuses(template: Template): string | undefined {
    const { imageName } = template;
    if (imageName.startsWith(LOCAL_IMAGE_PREFIX))
      return `images below ${LOCAL_IMAGE_PREFIX} are handler files, not pods`;
    const problem = imageNameProblem(imageName);
    if (problem !== undefined) return `no image can have this name: ${problem}`;
    const settings = readContainerSettings(template, NO_BOUND);
    return typeof settings === "string" ? settings : this.#watch.problem;
  }

  launch(order: WorkerOrder): LaunchedWorker {
    return this.#run(order, {
      make: (signal) => {
        void this.reach();
        return this.#maker.make(order, signal);
      },
    });
  }

  adopt(order: Adoption): LaunchedWorker {
    const found = [...this.#watch.pods].find((pod) => ownersOf(pod).workerId === order.workerId);
    const logSince = new Date(this.#options.clock.now()).toISOString();
    const make = async () => {
      if (found === undefined) throw new Error("its pod is gone");
      return found;
    };
    const worker = this.#run(order, { make, logSince });
    if (found !== undefined) this.#runOf(found)?.saw(found);
    return worker;
  }

  get problem(): string | undefined {
    return this.#watch.unknownBecause;
  }

  /** Those whose programs have not ended. */
  found(): readonly FoundWorker[] {
    if (this.#isStopping) return [];
    const pods = [...this.#watch.pods].filter((pod) => stateOf(pod).kind !== "ended");
    return pods.map(workerIn).filter(({ workerId }) => !this.#running.has(workerId));
  }

  #run(order: Adoption, own: Pick<PodRole, "logSince" | "make">): LaunchedWorker {
    const { log, line } = this.#options;
    const ids = { workerId: order.workerId, endpointId: order.endpoint.id };
    const role = {
      ...own,
      leaveSeconds: LEAVE_SECONDS,
      line: (text: string) => line(order, text),
      hindered: ({ reason }: { readonly reason: string }) =>
        log.warn(ids, `the worker does not run yet: ${reason}`),
    };
    const run = new PodRun(role, this.#host);
    this.#running.set(order.workerId, run);
    void run.exited.then(() => this.#running.delete(order.workerId));
    const { running } = run;
    return {
      kind: "pod",
      running: running.then(() => undefined),
      exited: run.exited,
      // It may be an image of the live service.
      speaksLate: true,
      drain: () => run.drain(),
      kill: () => run.kill(),
      place: () => ({ pod: run.pod?.metadata.name }),
      obstacle: () => run.obstacle,
      ...(isServer(order) && { server: running.then((pod) => addressOf(pod, order)) }),
    };
  }

  async reach(): Promise<void> {
    this.#leftovers.start();
    await this.#watch.start();
  }

  beginStop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    void this.#leaveBehind();
  }

  async close(): Promise<void> {
    this.beginStop();
    for (const run of this.#running.values()) run.kill();
    await Promise.all([...this.#running.values()].map(({ exited }) => exited));
    this.#isClosed = true;
    this.#leftovers.stop();
    this.#watch.stop();
  }

  /** Those that were made before a list, and are not in it, are no more. */
  #listing(): (uids: ReadonlySet<string>) => void {
    const made = [...this.#running.values()].flatMap((run) =>
      run.pod === undefined ? [] : [{ run, pod: run.pod }],
    );
    return (uids) => {
      for (const { run, pod } of made) if (!uids.has(pod.metadata.uid)) run.gone(pod);
      this.#leftovers.look();
    };
  }

  #runOf(pod: SeenPod): PodRun | undefined {
    const run = this.#running.get(ownersOf(pod).workerId);
    const isAnother = run?.pod !== undefined && run.pod.metadata.uid !== pod.metadata.uid;
    return isAnother ? undefined : run;
  }

  async #leaveBehind(): Promise<void> {
    const { clock, log } = this.#options;
    let awaySince: number | undefined;
    while (!this.#isClosed) {
      const isAway = this.#running.size > 0 && this.#watch.problem !== undefined;
      awaySince = isAway ? (awaySince ?? clock.now()) : undefined;
      if (awaySince !== undefined && clock.now() - awaySince >= STOP_PATIENCE_MS) break;
      await pause(clock, STOP_ASK_MS);
    }
    if (this.#isClosed) return;
    const reason = `it did not answer for ${STOP_PATIENCE_MS / 1_000} s while the service stopped`;
    log.warn({ count: this.#running.size }, `pods are left to the next start: ${reason}`);
    for (const run of this.#running.values()) run.abandon(reason);
  }
}

function addressOf(pod: SeenPod, { template }: Adoption): ServerAddress {
  const { port, healthPort, healthPath } = serverSettings(template);
  const { podIP: host } = pod.status ?? {};
  return {
    ...(host !== undefined && { host }),
    ...{ port: Number(port), healthPort: Number(healthPort), healthPath },
  };
}
