/** Launcher that runs each worker as a pod of a Kubernetes cluster. */
import type { Template } from "../../core/resources/template.ts";
import type { Clock } from "../../core/time/clock.ts";
import { isServer } from "../container-environment.ts";
import { readContainerSettings } from "../container-settings.ts";
import type {
  FoundWorker,
  LaunchedWorker,
  OutlivingWorkers,
  ServerAddress,
  WorkerOrder,
} from "../launcher.ts";
import { workerOf } from "../runs/run.ts";
import { type EngineLauncher, imageRefusal, Runs } from "../runs/runs.ts";
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

export type KubernetesLauncher = EngineLauncher;

type Adoption = Parameters<OutlivingWorkers["adopt"]>[0];

export function createKubernetesLauncher(options: KubernetesLauncherOptions): KubernetesLauncher {
  return new Kubernetes(options);
}

class Kubernetes implements KubernetesLauncher, OutlivingWorkers {
  readonly assignsGpus = true;
  readonly outliving = this;
  readonly #options: KubernetesLauncherOptions;
  readonly #runs: Runs<PodRun>;
  readonly #maker: PodMaker;
  readonly #watch: PodWatch;
  readonly #leftovers: Leftovers;
  readonly #host: PodHost;

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
        return !this.#runs.isStopping && isOurs(endpointId) && !this.#runs.has(workerId);
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
    this.#runs = new Runs({
      ...{ clock, log, what: "pods", engine: "the Kubernetes API" },
      failed: (error) => (error instanceof Error ? error.message : String(error)),
      answers: async () => this.#watch.problem === undefined,
    });
    this.#host = {
      clock,
      deletePod: (pod, seconds) => cluster.deletePod(pod, seconds),
      remove: (pod) => this.#maker.remove(pod),
      eventsOf: (pod) => cluster.eventsOf(pod),
      openLog: (pod, sinceTime, signal) => cluster.followLog(pod, sinceTime, signal),
    };
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

  /** Those whose programs have not ended. */
  found(): readonly FoundWorker[] {
    if (this.#runs.isStopping) return [];
    const pods = [...this.#watch.pods].filter((pod) => stateOf(pod).kind !== "ended");
    return pods.map(workerIn).filter(({ workerId }) => !this.#runs.has(workerId));
  }

  #run(order: Adoption, own: Pick<PodRole, "logSince" | "make">): LaunchedWorker {
    const { log, line } = this.#options;
    const ids = { workerId: order.workerId, endpointId: order.endpoint.id };
    const hindered = ({ reason }: { readonly reason: string }) =>
      log.warn(ids, `the worker does not run yet: ${reason}`);
    const steps = new PodRun({ ...own, hindered }, this.#host);
    const run = this.#runs.start(ids.workerId, steps, (text) => line(order, text));
    return workerOf(run, {
      kind: "pod",
      place: () => ({ pod: steps.pod?.metadata.name }),
      obstacle: () => steps.obstacle,
      ...(isServer(order) && { server: run.running.then((pod) => addressOf(pod, order)) }),
    });
  }

  async reach(): Promise<void> {
    this.#leftovers.start();
    await this.#watch.start();
  }

  beginStop(): void {
    this.#runs.beginStop();
  }

  async close(): Promise<void> {
    await this.#runs.close();
    this.#leftovers.stop();
    this.#watch.stop();
  }

  /** Those that were made before a list, and are not in it, are no more. */
  #listing(): (uids: ReadonlySet<string>) => void {
    const made = this.#runs.all.flatMap((run) =>
      run.pod === undefined ? [] : [{ run, pod: run.pod }],
    );
    return (uids) => {
      for (const { run, pod } of made) if (!uids.has(pod.metadata.uid)) run.gone(pod);
      this.#leftovers.look();
    };
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
