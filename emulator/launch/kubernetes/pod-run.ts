/** The steps of a run in a pod: make it, wait for it, end it, delete it. */
import type { Clock, Disarm } from "../../core/time/clock.ts";
import type { LaunchObstacle, WorkerExit } from "../launcher.ts";
import type { Run, RunSteps } from "../runs/run.ts";
import { type Asked, exitWith, neverRan, notStarted } from "../runs/worker-exit.ts";
import { pause, within } from "../../core/time/pause.ts";
import type { Cluster } from "./cluster.ts";
import { PodLog } from "./pod-log.ts";
import { endIn, exitOf, stateOf, warnedOf } from "./pod-state.ts";
import type { SeenPod } from "./seen-pod.ts";

/** Timeout of the last lines from a container that has ended. */
const LAST_LINES_MS = 5_000;

/** Timeout of a pod that cannot be made. The cluster itself would retry an image forever. */
const FAULT_PATIENCE_MS = 60_000;

/** Seconds between SIGTERM and SIGKILL for a pod that is killed. With 0 the pod would be deleted before its exit is reported. */
const KILL_SECONDS = 1;

/** Seconds between SIGTERM and SIGKILL for a pod that is asked to leave. The service kills a slow worker earlier. */
const LEAVE_SECONDS = 600;

/** Interval at which the events of a pod are asked for while its containers are made. */
const EVENTS_MS = 10_000;

/** Timeout of a pod's end beyond its grace. After it, the node counts as lost. */
const NODE_PATIENCE_MS = 30_000;

export interface PodRunOptions {
  /** Makes the pod and what it needs. @throws Error with a sentence; the reason of `signal` */
  readonly make: (signal: AbortSignal) => Promise<SeenPod>;
  /** Timestamp of the log line after which the log is read; default: the beginning. */
  readonly logSince?: string;
  readonly hindered: (obstacle: LaunchObstacle) => void;
  readonly cluster: Pick<Cluster, "deletePod" | "eventsOf" | "followLog">;
  /** Removes the pod and what belongs to it, now or as soon as the API server answers. Never rejects. */
  readonly remove: (pod: SeenPod) => Promise<void>;
  readonly clock: Clock;
}

/** The end of a run: its pod ended or was deleted, or could not be made. */
type PodEnd = { readonly pod: SeenPod } | { readonly failed: string };

type PodCourse = Run<SeenPod, SeenPod>;

export class PodRun implements RunSteps<SeenPod, SeenPod> {
  readonly #options: PodRunOptions;
  readonly #ending = Promise.withResolvers<PodEnd>();
  #run: PodCourse | undefined;
  #pod: SeenPod | undefined;
  #log: PodLog | undefined;
  /** Aborted when the pod's events are no longer needed; undefined before they are requested. */
  #events: AbortController | undefined;
  #obstacle: LaunchObstacle | undefined;
  #stated: LaunchObstacle | undefined;
  #warned: LaunchObstacle | undefined;
  #patience: Disarm | undefined;
  #nodePatience: Disarm | undefined;
  #hasEnded = false;

  constructor(options: PodRunOptions) {
    this.#options = options;
  }

  get pod(): SeenPod | undefined {
    return this.#pod;
  }

  get obstacle(): LaunchObstacle | undefined {
    return this.#obstacle;
  }

  place(signal: AbortSignal): Promise<SeenPod> {
    return this.#options.make(signal);
  }

  saw(pod: SeenPod): void {
    if (this.#hasEnded) return;
    this.#pod = pod;
    if (this.#run !== undefined) this.#look(pod, this.#run);
  }

  gone(pod: SeenPod): void {
    this.saw(pod);
    this.#ending.resolve({ pod });
  }

  async watch(made: SeenPod, run: PodCourse): Promise<WorkerExit> {
    this.#run = run;
    // The watch of all pods may have reported it meanwhile.
    this.saw(this.#pod ?? made);
    const end = await this.#ending.promise;
    if (this.#log !== undefined) await within(this.#options.clock, LAST_LINES_MS, this.#log.end());
    return "failed" in end ? notStarted(end.failed) : this.#exit(end.pod, run);
  }

  async end(made: SeenPod, asked: Asked): Promise<void> {
    const seconds = asked === "die" ? KILL_SECONDS : LEAVE_SECONDS;
    await this.#options.cluster.deletePod(this.#pod ?? made, seconds);
  }

  async remove(made: SeenPod | undefined): Promise<void> {
    this.leave();
    this.#obstacle = undefined;
    const pod = this.#pod ?? made;
    if (pod !== undefined) await this.#options.remove(pod);
  }

  leave(): void {
    this.#hasEnded = true;
    this.#patience?.();
    this.#nodePatience?.();
    this.#events?.abort();
    this.#log?.stop();
  }

  #exit(pod: SeenPod, { asked, tail }: PodCourse): WorkerExit {
    const hasRun = this.#log !== undefined;
    const lastLogLines = tail.end();
    // A pod that is deleted on demand is often gone before its status shows how it ended.
    if (asked === "die")
      return hasRun ? exitWith({ signal: "SIGKILL", lastLogLines }) : neverRan(asked);
    if (asked === "leave" && endIn(pod) === undefined)
      return exitWith({ exitCode: 0, lastLogLines });
    return exitOf(pod, { hasRun, wasAsked: asked !== undefined }, lastLogLines);
  }

  #look(pod: SeenPod, run: PodCourse): void {
    const state = stateOf(pod);
    if (state.kind === "waiting") this.#wait(pod, state.obstacle);
    else this.#begun();
    if (state.kind === "running" || endIn(pod) !== undefined) this.#follow(pod, run);
    if (state.kind === "running") run.begun(pod);
    if (state.kind === "ended") this.#ending.resolve({ pod });
    else if (pod.metadata.deletionTimestamp !== undefined) this.#giveNodeTime(pod);
  }

  #follow(pod: SeenPod, { tail }: PodCourse): void {
    const { cluster, clock, logSince: since } = this.#options;
    this.#log ??= new PodLog({
      open: (sinceTime, signal) => cluster.followLog(pod, sinceTime, signal),
      ...{ since, tail, clock },
    });
  }

  #wait(pod: SeenPod, obstacle: LaunchObstacle | undefined): void {
    this.#stated = obstacle;
    // Events of a pod with a node may explain a wait that its status does not.
    if (obstacle === undefined && pod.spec?.nodeName !== undefined && !this.#events) {
      this.#events = new AbortController();
      void this.#askEvents(pod, this.#events.signal);
    }
    this.#meet(obstacle ?? this.#warned);
  }

  async #askEvents(pod: SeenPod, signal: AbortSignal): Promise<void> {
    const { cluster, clock } = this.#options;
    for (;;) {
      await pause(clock, EVENTS_MS, signal);
      if (signal.aborted) return;
      // A service without the permission to list events works without them.
      const events = await cluster.eventsOf(pod).catch(() => []);
      if (signal.aborted) return;
      this.#warned = warnedOf(events);
      this.#meet(this.#stated ?? this.#warned);
    }
  }

  #begun(): void {
    this.#events?.abort();
    this.#meet(undefined);
  }

  #meet(obstacle: LaunchObstacle | undefined): void {
    const before = this.#obstacle;
    this.#obstacle = obstacle;
    if (obstacle === undefined || obstacle.isThrottled) {
      this.#patience?.();
      this.#patience = undefined;
    } else {
      const { clock } = this.#options;
      this.#patience ??= clock.wakeAt(clock.now() + FAULT_PATIENCE_MS, () => this.#giveUp());
    }
    if (obstacle !== undefined && obstacle.reason !== before?.reason)
      this.#options.hindered(obstacle);
  }

  #giveUp(): void {
    const reason = this.#obstacle?.reason ?? "its pod could not be made";
    this.#ending.resolve({ failed: reason });
  }

  /** Deletes the pod without its node's confirmation if the node does not answer in time. */
  #giveNodeTime(pod: SeenPod): void {
    const { clock, cluster } = this.#options;
    this.#nodePatience?.();
    const endsAt = Date.parse(pod.metadata.deletionTimestamp ?? "") || clock.now();
    this.#nodePatience = clock.wakeAt(Math.max(endsAt, clock.now()) + NODE_PATIENCE_MS, () => {
      cluster.deletePod(pod, 0).catch(() => this.#giveNodeTime(pod));
    });
  }
}
