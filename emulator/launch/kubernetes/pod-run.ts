/** The life of one worker's pod: made, waited for, run, ended, deleted. */
import type { Clock, Disarm } from "../../core/time/clock.ts";
import type { LaunchObstacle, WorkerExit } from "../launcher.ts";
import { LineTail } from "../processes/line-tail.ts";
import { exitWith, notStarted } from "../worker-exit.ts";
import { pause, within } from "../../core/time/pause.ts";
import { PodEvents } from "./pod-events.ts";
import { PodLog } from "./pod-log.ts";
import { endIn, exitOf, stateOf } from "./pod-state.ts";
import type { SeenEvent, SeenPod } from "./seen-pod.ts";

/** What is still on its way from a container that has ended comes within this time. */
const LAST_LINES_MS = 5_000;

/** The cluster tries an image again and again; a worker whose pod cannot be made for so long has failed. */
const FAULT_PATIENCE_MS = 60_000;

/** SIGKILL comes so soon behind SIGTERM: less would delete the pod without anybody knowing what became of it. */
const KILL_SECONDS = 1;

/** To ask an API server that was away again. */
const ASK_AGAIN_MS = 1_000;

/** How much longer than its grace a pod may take to end before its node is given up. */
const NODE_PATIENCE_MS = 30_000;

/** What all pods need of their launcher. */
export interface PodHost {
  readonly clock: Clock;
  /** @throws ClusterError */
  readonly deletePod: (pod: SeenPod, graceSeconds: number) => Promise<void>;
  /** Removes the pod, if it was made, and what belongs to it, now or as soon as the API server answers. Never rejects. */
  readonly remove: (pod: SeenPod | undefined) => Promise<void>;
  readonly eventsOf: (pod: SeenPod) => Promise<readonly SeenEvent[]>;
  readonly openLog: (
    pod: SeenPod,
    sinceTime: string | undefined,
    signal: AbortSignal,
  ) => AsyncIterable<string>;
}

/** What one pod is to be. */
export interface PodRole {
  /** Makes the pod and what it needs. @throws Error with a sentence; what `signal` was aborted with */
  readonly make: (signal: AbortSignal) => Promise<SeenPod>;
  /** Its log is read from that moment on, as a line of it has it; from its beginning where there is none. */
  readonly logSince?: string;
  /** Between SIGTERM and SIGKILL, when it is asked to leave. */
  readonly leaveSeconds: number;
  readonly line: (line: string) => void;
  /** Called with each obstacle that is another one than before. */
  readonly hindered: (obstacle: LaunchObstacle) => void;
}

type Asked = "leave" | "die";

/** How it came to its end: its pod ended or was deleted, could not be made, or is left behind. */
type PodEnd =
  | { readonly kind: "ended"; readonly pod: SeenPod }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "left"; readonly reason: string };

export class PodRun {
  readonly exited: Promise<WorkerExit>;
  readonly #role: PodRole;
  readonly #host: PodHost;
  readonly #tail: LineTail;
  readonly #runs = Promise.withResolvers<SeenPod>();
  /** Aborted when it is to go before it is made. */
  readonly #calledOff = new AbortController();
  readonly #ending = Promise.withResolvers<PodEnd>();
  #pod: SeenPod | undefined;
  #log: PodLog | undefined;
  #events: PodEvents | undefined;
  #asked: Asked | undefined;
  #obstacle: LaunchObstacle | undefined;
  /** As its status says. */
  #stated: LaunchObstacle | undefined;
  #patience: Disarm | undefined;
  #nodePatience: Disarm | undefined;
  #hasEnded = false;

  constructor(role: PodRole, host: PodHost) {
    this.#role = role;
    this.#host = host;
    this.#tail = new LineTail(role.line);
    this.exited = this.#live();
  }

  /** Resolves with its pod when its program runs; stays open where it comes to nothing. */
  get running(): Promise<SeenPod> {
    return this.#runs.promise;
  }

  /** Its pod, once it was made. */
  get pod(): SeenPod | undefined {
    return this.#pod;
  }

  get obstacle(): LaunchObstacle | undefined {
    return this.#obstacle;
  }

  drain(): void {
    this.#ask("leave");
  }

  kill(): void {
    this.#ask("die");
  }

  /** The API server is not waited for any longer: it counts as ended, whatever becomes of it. */
  abandon(reason: string): void {
    this.#calledOff.abort();
    this.#ending.resolve({ kind: "left", reason });
  }

  /** To be called with its pod whenever that has changed. */
  saw(pod: SeenPod): void {
    if (this.#hasEnded) return;
    this.#pod = pod;
    const state = stateOf(pod);
    if (state.kind === "waiting") this.#wait(pod, state.obstacle);
    else this.#begun();
    if (state.kind === "running" || endIn(pod) !== undefined) this.#follow(pod);
    if (state.kind === "running") this.#runs.resolve(pod);
    if (state.kind === "ended") this.#ending.resolve({ kind: "ended", pod });
    else if (pod.metadata.deletionTimestamp !== undefined) this.#giveNodeTime(pod);
  }

  /** To be called when its pod is no more. */
  gone(pod: SeenPod): void {
    this.saw(pod);
    this.#ending.resolve({ kind: "ended", pod });
  }

  async #live(): Promise<WorkerExit> {
    try {
      const made = await this.#role.make(this.#calledOff.signal);
      // More of it may have been heard by now.
      this.#pod ??= made;
    } catch (error) {
      await this.#end(this.#pod);
      if (!this.#calledOff.signal.aborted)
        return notStarted(error instanceof Error ? error.message : String(error));
      return this.#neverRan();
    }
    if (this.#asked !== undefined) this.#pass(this.#asked);
    const end = await this.#ending.promise;
    if (end.kind === "left") {
      this.#log?.stop();
      return this.#goneWithCluster(end.reason);
    }
    if (this.#log !== undefined) await within(this.#host.clock, LAST_LINES_MS, this.#log.end());
    await this.#end(this.#pod);
    return end.kind === "failed" ? notStarted(end.reason) : this.#exit(end.pod, this.#tail.end());
  }

  #exit(pod: SeenPod, lines: readonly string[]): WorkerExit {
    const hasRun = this.#log !== undefined;
    // A pod that is deleted on demand is often gone before anybody could say how it ended.
    if (this.#asked === "die")
      return hasRun ? exitWith({ signal: "SIGKILL", lastLogLines: lines }) : this.#neverRan();
    if (this.#asked === "leave" && endIn(pod) === undefined)
      return exitWith({ exitCode: 0, lastLogLines: lines });
    return exitOf(pod, { hasRun, wasAsked: this.#asked !== undefined }, lines);
  }

  #neverRan(): WorkerExit {
    return exitWith(this.#asked === "die" ? { signal: "SIGKILL" } : { exitCode: 0 });
  }

  #goneWithCluster(reason: string): WorkerExit {
    const goneWith = `the Kubernetes API: ${reason}`;
    return { ...exitWith({ goneWith, lastLogLines: this.#tail.end() }), engineWentAway: true };
  }

  async #end(pod: SeenPod | undefined): Promise<void> {
    this.#hasEnded = true;
    this.#obstacle = undefined;
    this.#patience?.();
    this.#nodePatience?.();
    this.#events?.stop();
    this.#log?.stop();
    await this.#host.remove(pod);
  }

  #ask(asked: Asked): void {
    if (this.#asked === "die" || this.#asked === asked) return;
    this.#asked = asked;
    this.#calledOff.abort();
    if (this.#pod !== undefined) this.#pass(asked);
  }

  /** Until the API server has taken it. */
  #pass(asked: Asked): void {
    const pod = this.#pod;
    if (pod === undefined || this.#hasEnded || this.#asked !== asked) return;
    const seconds = asked === "die" ? KILL_SECONDS : this.#role.leaveSeconds;
    const again = async () => {
      await pause(this.#host.clock, ASK_AGAIN_MS);
      this.#pass(asked);
    };
    this.#host.deletePod(pod, seconds).catch(again);
  }

  #follow(pod: SeenPod): void {
    const { openLog, clock } = this.#host;
    this.#log ??= new PodLog({
      open: (sinceTime, signal) => openLog(pod, sinceTime, signal),
      since: this.#role.logSince,
      tail: this.#tail,
      clock,
    });
  }

  /** Where its node has it, and its status says nothing of what it waits for, its events may. */
  #wait(pod: SeenPod, obstacle: LaunchObstacle | undefined): void {
    const { eventsOf, clock } = this.#host;
    this.#stated = obstacle;
    const told = () => this.#meet(this.#stated ?? this.#events?.obstacle);
    if (obstacle === undefined && pod.spec?.nodeName !== undefined)
      this.#events ??= new PodEvents({ list: () => eventsOf(pod), told, clock });
    told();
  }

  #begun(): void {
    this.#events?.stop();
    this.#meet(undefined);
  }

  #meet(obstacle: LaunchObstacle | undefined): void {
    const before = this.#obstacle;
    this.#obstacle = obstacle;
    if (obstacle === undefined || obstacle.isThrottled) {
      this.#patience?.();
      this.#patience = undefined;
    } else {
      const { clock } = this.#host;
      this.#patience ??= clock.wakeAt(clock.now() + FAULT_PATIENCE_MS, () => this.#giveUp());
    }
    if (obstacle !== undefined && obstacle.reason !== before?.reason) this.#role.hindered(obstacle);
  }

  #giveUp(): void {
    const reason = this.#obstacle?.reason ?? "its pod could not be made";
    this.#ending.resolve({ kind: "failed", reason });
  }

  /** A node that is away ends nothing, and confirms nothing: its pods are deleted without it. */
  #giveNodeTime(pod: SeenPod): void {
    const { clock, deletePod } = this.#host;
    this.#nodePatience?.();
    const endsAt = Date.parse(pod.metadata.deletionTimestamp ?? "") || clock.now();
    this.#nodePatience = clock.wakeAt(Math.max(endsAt, clock.now()) + NODE_PATIENCE_MS, () => {
      deletePod(pod, 0).catch(() => this.#giveNodeTime(pod));
    });
  }
}
