/** Launcher that runs each worker as a pod of a Kubernetes cluster. Pods outlive the process that made them. */
import type { Template } from "../../core/resources/templates/template.ts";
import type { Clock, Disarm } from "../../core/time/clock.ts";
import { isServer } from "../container-environment.ts";
import { readContainerSettings } from "../container-settings.ts";
import type {
  FoundWorker,
  LaunchedWorker,
  OutlivingWorkers,
  ServerAddress,
  WorkerOrder,
} from "../launcher.ts";
import { boundsOf } from "../runs/limits-met.ts";
import { workerOf } from "../runs/run.ts";
import { type EngineLauncher, imageRefusal, Runs } from "../runs/runs.ts";
import { serverSettings } from "../server-settings.ts";
import { NO_BOUND, PodMaker, type PodMakerOptions } from "./pod-maker.ts";
import { ownersOf, selectorOf, workerIn } from "./pod-names.ts";
import { PodRun, type PodRunOptions } from "./pod-run.ts";
import { stateOf } from "./pod-state.ts";
import { PodWatch } from "./pod-watch.ts";
import type { SeenPod } from "./seen-pod.ts";

export interface KubernetesLauncherOptions extends PodMakerOptions {
  /** Whether this replica starts the endpoint's workers. If not, another replica does. */
  readonly isOurs: (endpointId: string) => boolean;
  /** Called after the pods were listed, before leftovers are deleted. */
  readonly found: () => void;
  /** Called with each line that a worker writes. */
  readonly line: (order: Pick<WorkerOrder, "endpoint" | "workerId">, line: string) => void;
  /** Called when workers can be started again. */
  readonly willing: () => void;
  readonly clock: Clock;
}

export type KubernetesLauncher = EngineLauncher;

type Adoption = Parameters<OutlivingWorkers["adopt"]>[0];

/** Interval between searches for leftovers. Endpoints may move to this replica at any time, and a deletion may have failed. */
const LEFTOVERS_MS = 30_000;

export function createKubernetesLauncher(options: KubernetesLauncherOptions): KubernetesLauncher {
  return new Kubernetes(options);
}

class Kubernetes implements KubernetesLauncher, OutlivingWorkers {
  readonly runsImages = true;
  readonly assignsGpus = true;
  readonly outliving = this;
  readonly #options: KubernetesLauncherOptions;
  readonly #runs: Runs<PodRun>;
  readonly #maker: PodMaker;
  readonly #watch: PodWatch;
  #disarm: Disarm | undefined;
  /** The uids of leftovers that are being deleted. */
  #removed: ReadonlySet<string> = new Set();

  constructor(options: KubernetesLauncherOptions) {
    const { cluster, clock, log, service, willing } = options;
    this.#options = options;
    this.#maker = new PodMaker(options);
    this.#watch = new PodWatch({
      ...{ cluster, clock, log },
      selector: selectorOf(service),
      saw: (pod) => this.#runOf(pod)?.saw(pod),
      gone: (pod) => this.#runOf(pod)?.gone(pod),
      listing: () => this.#listing(),
      back: willing,
    });
    this.#runs = new Runs({
      ...{ clock, log, what: "pods", engine: "the Kubernetes API" },
      failed: (error) => (error instanceof Error ? error.message : String(error)),
      answers: async () => this.#watch.problem === undefined,
    });
  }

  refuses(template: Template): string | undefined {
    const refusal = imageRefusal(template.imageName, "pods");
    if (refusal !== undefined) return refusal;
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
    return this.#run(order, { make, logSince });
  }

  get problem(): string | undefined {
    return this.#watch.unknownBecause;
  }

  /** The pods whose programs have not ended. */
  found(): readonly FoundWorker[] {
    if (this.#runs.isStopping) return [];
    const pods = [...this.#watch.pods].filter((pod) => stateOf(pod).kind !== "ended");
    return pods.map(workerIn).filter(({ workerId }) => !this.#runs.has(workerId));
  }

  #run(order: Adoption, own: Pick<PodRunOptions, "logSince" | "make">): LaunchedWorker {
    const { cluster, clock, log, line } = this.#options;
    const ids = { workerId: order.workerId, endpointId: order.endpoint.id };
    const hindered = ({ reason }: { readonly reason: string }) =>
      log.warn(ids, `the worker does not run yet: ${reason}`);
    const remove = (pod: SeenPod) => this.#maker.remove(pod);
    const steps = new PodRun({ ...own, hindered, cluster, clock, remove });
    const settings = readContainerSettings(order.template, NO_BOUND);
    const run = this.#runs.start(ids.workerId, steps, {
      about: ids,
      bounds: boundsOf(settings, { isPod: true, gpus: [] }),
      line: (text) => line(order, text),
    });
    return workerOf(run, {
      kind: "pod",
      place: () => ({ pod: steps.pod?.metadata.name }),
      obstacle: () => steps.obstacle,
      ...(isServer(order) && { server: run.running.then((pod) => addressOf(pod, order)) }),
    });
  }

  async reach(): Promise<void> {
    this.#disarm ??= this.#lookAgain();
    await this.#watch.start();
  }

  beginStop(): void {
    this.#runs.beginStop();
  }

  async close(): Promise<void> {
    await this.#runs.close();
    this.#disarm?.();
    this.#watch.stop();
  }

  /** Returns a function that takes the listed uids. A pod that was made before the list and is not in it is gone. */
  #listing(): (uids: ReadonlySet<string>) => void {
    const made = this.#runs.all.flatMap((run) =>
      run.pod === undefined ? [] : [{ run, pod: run.pod }],
    );
    return (uids) => {
      for (const { run, pod } of made) if (!uids.has(pod.metadata.uid)) run.gone(pod);
      this.#deleteLeftovers();
    };
  }

  #lookAgain(): Disarm {
    const { clock } = this.#options;
    return clock.wakeAt(clock.now() + LEFTOVERS_MS, () => {
      this.#disarm = this.#lookAgain();
      this.#deleteLeftovers();
    });
  }

  /** Deletes pods without a worker. They are left by a killed process, or by a replica that lost endpoints to this one. */
  #deleteLeftovers(): void {
    const { found, isOurs, log } = this.#options;
    // Adopts pods first: adopted pods are not leftovers.
    found();
    if (this.#runs.isStopping) return;
    const leftovers = [...this.#watch.pods].filter((pod) => {
      const { endpointId, workerId } = ownersOf(pod);
      return isOurs(endpointId) && !this.#runs.has(workerId);
    });
    const fresh = leftovers.filter(({ metadata }) => !this.#removed.has(metadata.uid));
    this.#removed = new Set(leftovers.map(({ metadata }) => metadata.uid));
    if (fresh.length > 0) log.info({ count: fresh.length }, "deleting pods without a worker");
    for (const pod of leftovers) void this.#maker.remove(pod);
  }

  #runOf(pod: SeenPod): PodRun | undefined {
    const run = this.#runs.stepsOf(ownersOf(pod).workerId);
    const isAnother = run?.pod !== undefined && run.pod.metadata.uid !== pod.metadata.uid;
    return isAnother ? undefined : run;
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
