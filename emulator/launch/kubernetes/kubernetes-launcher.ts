/** Launcher that runs each worker as a pod of a Kubernetes cluster. */
import type { V1ConfigMap, V1OwnerReference } from "@kubernetes/client-node";
import { imageNameProblem } from "../../core/resources/image-name.ts";
import type { RegistryCredentials } from "../../core/resources/registry-auth.ts";
import { LOCAL_IMAGE_PREFIX, type Template } from "../../core/resources/template.ts";
import type { Clock } from "../../core/time/clock.ts";
import { isServer } from "../container-environment.ts";
import { readContainerSettings } from "../container-settings.ts";
import type { LaunchLog } from "../docker/launch-log.ts";
import { pause } from "../../core/time/pause.ts";
import type { LaunchedWorker, Launcher, ServerAddress, WorkerOrder } from "../launcher.ts";
import { serverSettings } from "../server-settings.ts";
import type { Cluster } from "./cluster.ts";
import { Leftovers } from "./leftovers.ts";
import { type PodFrame, podManifest, type PodPlaces, secretManifests } from "./pod-manifest.ts";
import {
  environmentName,
  ownerName,
  ownersOf,
  pullName,
  selectorOf,
  serviceLabels,
} from "./pod-names.ts";
import { type PodHost, PodRun } from "./pod-run.ts";
import { PodWatch } from "./pod-watch.ts";
import type { SeenPod } from "./seen-pod.ts";

export interface KubernetesLauncherOptions {
  readonly cluster: Cluster;
  /** Tells this service's pods from those of others, over restarts and at all its replicas: 16 hexadecimal digits. */
  readonly service: string;
  /** Whether this process starts the workers of the endpoint; if not, another one of the same service does. */
  readonly isOurs: (endpointId: string) => boolean;
  /** What a worker is told of the service. Rejects with a sentence where pods cannot reach it. */
  readonly placesOf: (order: WorkerOrder) => Promise<PodPlaces>;
  /** What its registry wants to know; undefined for a template that names no credentials. Rejects with a sentence. */
  readonly credentialsOf: (template: Template) => Promise<RegistryCredentials | undefined>;
  /** Called with each line a worker writes. */
  readonly line: (order: WorkerOrder, line: string) => void;
  /** Called when workers can be started that could not before. */
  readonly willing: () => void;
  readonly log: LaunchLog;
  readonly clock: Clock;
}

export interface KubernetesLauncher extends Launcher {
  /** Looks for the cluster, and deletes what killed services left in it. Never rejects. */
  reach(): Promise<void>;
  /** To be called when the service begins to stop: from then on pods whose API server does not answer are left to the next start. */
  beginStop(): void;
}

/** How long an API server that does not answer is waited for while the service stops. */
const STOP_PATIENCE_MS = 10_000;
const STOP_ASK_MS = 500;

/** A pod that is asked to leave has so long; the engine ends those that take too long before. */
const LEAVE_SECONDS = 600;

/** Nodes have the bounds that a template does not set. */
const NO_BOUND = Number.POSITIVE_INFINITY;

export function createKubernetesLauncher(options: KubernetesLauncherOptions): KubernetesLauncher {
  return new Kubernetes(options);
}

class Kubernetes implements KubernetesLauncher {
  readonly assignsGpus = true;
  readonly #options: KubernetesLauncherOptions;
  readonly #running = new Map<string, PodRun>();
  readonly #watch: PodWatch;
  readonly #leftovers: Leftovers;
  readonly #host: PodHost;
  #isStopping = false;
  #isClosed = false;

  constructor(options: KubernetesLauncherOptions) {
    const { cluster, clock, log, isOurs, service, willing } = options;
    this.#options = options;
    this.#leftovers = new Leftovers({
      clock,
      log,
      pods: () => this.#watch.pods,
      isLeftover: (pod) => {
        const { endpointId, workerId } = ownersOf(pod);
        return isOurs(endpointId) && !this.#running.has(workerId);
      },
      remove: (pod) => this.#remove(pod),
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
      remove: (pod) => (pod === undefined ? Promise.resolve() : this.#remove(pod)),
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
    const { log, line } = this.#options;
    const ids = { workerId: order.workerId, endpointId: order.endpoint.id };
    const role = {
      make: (signal: AbortSignal) => this.#make(order, signal),
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

  async #make(order: WorkerOrder, signal: AbortSignal): Promise<SeenPod> {
    const { cluster, service, placesOf, credentialsOf } = this.#options;
    const { template } = order;
    const settings = readContainerSettings(template, NO_BOUND);
    if (typeof settings === "string") throw new Error(settings);
    void this.reach();
    const [places, credentials] = await Promise.all([placesOf(order), credentialsOf(template)]);
    const owner = await this.#owner();
    signal.throwIfAborted();
    const frame: PodFrame = { service, owner, settings, places, credentials };
    const pod = podManifest(order, frame);
    try {
      for (const secret of secretManifests(order, frame)) await cluster.createSecret(secret);
      signal.throwIfAborted();
      return await cluster.createPod(pod);
    } catch (error) {
      await this.#removeSecrets(pod.metadata?.name ?? "");
      throw error;
    }
  }

  /** Everything goes with it when it is deleted. */
  async #owner(): Promise<V1OwnerReference> {
    const { cluster, service } = this.#options;
    const name = ownerName(service);
    const note =
      "The pods and secrets of this sv-runtime service belong to this object, and are deleted with it.";
    const body: V1ConfigMap = {
      ...{ apiVersion: "v1", kind: "ConfigMap" },
      metadata: { name, labels: serviceLabels(service) },
      data: { note },
    };
    return {
      ...{ apiVersion: "v1", kind: "ConfigMap", name },
      uid: await cluster.provideConfigMap(body),
    };
  }

  /** What cannot be deleted now is a leftover, which is looked for again. */
  async #remove(pod: SeenPod): Promise<void> {
    try {
      await this.#options.cluster.deletePod(pod, 1);
    } catch (error) {
      const { name } = pod.metadata;
      this.#options.log.warn({ pod: name, err: error }, "a pod could not be deleted yet");
      return;
    }
    await this.#removeSecrets(pod.metadata.name);
  }

  /** They go with their owner at the latest. */
  async #removeSecrets(pod: string): Promise<void> {
    const { cluster } = this.#options;
    const names = [environmentName(pod), pullName(pod)];
    await Promise.allSettled(names.map((name) => cluster.deleteSecret(name)));
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

function addressOf(pod: SeenPod, { template }: WorkerOrder): ServerAddress {
  const { port, healthPort, healthPath } = serverSettings(template);
  const { podIP: host } = pod.status ?? {};
  return {
    ...(host !== undefined && { host }),
    ...{ port: Number(port), healthPort: Number(healthPort), healthPath },
  };
}
