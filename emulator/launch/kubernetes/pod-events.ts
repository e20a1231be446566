/** Asks what a pod's node is waiting for, for as long as the pod's containers are being made: its status does not say, its events do. */
import type { Clock } from "../../core/time/clock.ts";
import { pause } from "../../core/time/pause.ts";
import type { LaunchObstacle } from "../launcher.ts";
import { warnedOf } from "./pod-state.ts";
import type { SeenEvent } from "./seen-pod.ts";

/** Until it is asked, and asked again. */
const LOOK_MS = 10_000;

export interface PodEventsOptions {
  /** All of the pod. @throws ClusterError */
  readonly list: () => Promise<readonly SeenEvent[]>;
  /** Called whenever it was asked. */
  readonly told: () => void;
  readonly clock: Clock;
}

export class PodEvents {
  readonly #options: PodEventsOptions;
  readonly #stop = new AbortController();
  #obstacle: LaunchObstacle | undefined;

  constructor(options: PodEventsOptions) {
    this.#options = options;
    void this.#follow();
  }

  /** What keeps the pod from running, as it was told last; undefined: nothing is known to. */
  get obstacle(): LaunchObstacle | undefined {
    return this.#obstacle;
  }

  /** Nothing is told any more. */
  stop(): void {
    this.#stop.abort();
  }

  async #follow(): Promise<void> {
    const { list, told, clock } = this.#options;
    const { signal } = this.#stop;
    for (;;) {
      await pause(clock, LOOK_MS, signal);
      if (signal.aborted) return;
      // Who may not list events, or cannot now, does without.
      const events = await list().catch(() => []);
      if (signal.aborted) return;
      this.#obstacle = warnedOf(events);
      told();
    }
  }
}
