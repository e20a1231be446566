/** Deletes pods of the service that no worker stands behind any more: of a killed process, or of one whose endpoints are another's now. */
import type { Clock, Disarm } from "../../core/time/clock.ts";
import type { LaunchLog } from "../launcher.ts";
import type { SeenPod } from "./seen-pod.ts";

/** Endpoints come to this process at any time, and what could not be deleted is tried again. */
const LOOK_MS = 30_000;

export interface LeftoversOptions {
  readonly clock: Clock;
  readonly log: LaunchLog;
  /** Called before it is looked: what is taken then is no leftover. */
  readonly offer: () => void;
  readonly pods: () => Iterable<SeenPod>;
  readonly isLeftover: (pod: SeenPod) => boolean;
  /** Never rejects. */
  readonly remove: (pod: SeenPod) => Promise<void>;
}

export class Leftovers {
  readonly #options: LeftoversOptions;
  #disarm: Disarm | undefined;
  /** By uid: those that are being deleted. */
  #removed: ReadonlySet<string> = new Set();

  constructor(options: LeftoversOptions) {
    this.#options = options;
  }

  /** Looks from time to time. */
  start(): void {
    this.#disarm ??= this.#aim();
  }

  stop(): void {
    this.#disarm?.();
  }

  look(): void {
    const { offer, pods, isLeftover, remove, log } = this.#options;
    offer();
    const found = [...pods()].filter((pod) => isLeftover(pod));
    const fresh = found.filter(({ metadata }) => !this.#removed.has(metadata.uid));
    this.#removed = new Set(found.map(({ metadata }) => metadata.uid));
    if (fresh.length > 0)
      log.info({ count: fresh.length }, "deleting pods that no worker stands behind any more");
    for (const pod of found) void remove(pod);
  }

  #aim(): Disarm {
    const { clock } = this.#options;
    return clock.wakeAt(clock.now() + LOOK_MS, () => {
      this.#disarm = this.#aim();
      this.look();
    });
  }
}
