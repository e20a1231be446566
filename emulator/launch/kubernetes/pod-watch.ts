/**
 * Follows all pods of a service by one watch: lists them, receives changes, and lists them again if the server cannot continue
 * the watch. Retries until the server answers.
 */
import type { Clock } from "../../core/time/clock.ts";
import { pause } from "../../core/time/pause.ts";
import type { LaunchLog } from "../launcher.ts";
import type { Cluster, PodEvent } from "./cluster.ts";
import { isBrokenOff, isTooOld } from "./cluster-error.ts";
import type { SeenPod } from "./seen-pod.ts";

/** First interval between retries. The second constant is the maximum. */
const AGAIN_MS = 500;
const AGAIN_MAX_MS = 15_000;

export interface PodWatchOptions {
  readonly cluster: Pick<Cluster, "listPods" | "watchPods">;
  readonly selector: string;
  readonly clock: Clock;
  readonly log: LaunchLog;
  readonly saw: (pod: SeenPod) => void;
  /** Called with the last state of each pod that is gone. */
  readonly gone: (pod: SeenPod) => void;
  /**
   * Called before the pods are listed. The returned function is called with the listed uids, after `saw` was called for all of
   * them.
   */
  readonly listing: () => (uids: ReadonlySet<string>) => void;
  /** Called when the server answers again. */
  readonly back: () => void;
}

export class PodWatch {
  readonly #options: PodWatchOptions;
  readonly #stop = new AbortController();
  readonly #pods = new Map<string, SeenPod>();
  #isStarted = false;
  #isListed = false;
  #looked = Promise.withResolvers<void>();
  #problem: string | undefined;

  constructor(options: PodWatchOptions) {
    this.#options = options;
  }

  /** A sentence that says why the cluster cannot be used now. Undefined if no reason is known. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** A sentence that says why the pods are unknown. Undefined once they were listed. */
  get unknownBecause(): string | undefined {
    if (this.#isListed) return undefined;
    return this.#problem ?? "the pods of the cluster are not listed yet";
  }

  /** The pods that the watch has seen. */
  get pods(): Iterable<SeenPod> {
    return this.#pods.values();
  }

  /** Resolves when the pods were listed for the first time, or the server did not answer. */
  async start(): Promise<void> {
    if (!this.#isStarted) void this.#run();
    this.#isStarted = true;
    await this.#looked.promise;
  }

  /** Stops the watch. Callbacks are not called any more. */
  stop(): void {
    this.#stop.abort();
    this.#looked.resolve();
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    let version: string | undefined;
    let delayMs = AGAIN_MS;
    while (!this.#isStopped) {
      try {
        version ??= await this.#list();
        for await (const event of this.#follow(version)) {
          this.#answered();
          delayMs = AGAIN_MS;
          version = this.#hear(event);
        }
      } catch (error) {
        if (isTooOld(error)) version = undefined;
        else if (!isBrokenOff(error)) this.#failed(error);
      }
      await pause(clock, delayMs, this.#stop.signal);
      delayMs = Math.min(2 * delayMs, AGAIN_MAX_MS);
    }
  }

  /** Returns the version from which a watch continues. */
  #hear(event: PodEvent): string {
    if (event.type === "BOOKMARK") return event.resourceVersion;
    if (event.type === "DELETED") this.#forget(event.pod);
    else this.#take(event.pod);
    return event.pod.metadata.resourceVersion;
  }

  #follow(version: string) {
    const { cluster, selector } = this.#options;
    return cluster.watchPods(selector, version, this.#stop.signal);
  }

  async #list(): Promise<string> {
    const { cluster, selector, listing } = this.#options;
    const listed = listing();
    const { pods, resourceVersion } = await cluster.listPods(selector);
    if (this.#isStopped) return resourceVersion;
    this.#answered();
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const pod of [...this.#pods.values()]) if (!uids.has(pod.metadata.uid)) this.#forget(pod);
    for (const pod of pods) this.#take(pod);
    this.#isListed = true;
    listed(uids);
    this.#looked.resolve();
    return resourceVersion;
  }

  #take(pod: SeenPod): void {
    if (this.#isStopped) return;
    this.#pods.set(pod.metadata.uid, pod);
    this.#options.saw(pod);
  }

  #forget(pod: SeenPod): void {
    if (this.#isStopped) return;
    this.#pods.delete(pod.metadata.uid);
    this.#options.gone(pod);
  }

  #answered(): void {
    if (this.#problem === undefined) return;
    this.#problem = undefined;
    this.#options.log.info({}, "the Kubernetes API answers again");
    this.#options.back();
  }

  #failed(error: unknown): void {
    if (this.#isStopped) return;
    const message = error instanceof Error ? error.message : String(error);
    if (this.#problem === undefined)
      this.#options.log.warn({}, `${message}; running pods continue, and no others are started`);
    this.#problem = message;
    this.#looked.resolve();
  }

  get #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }
}
