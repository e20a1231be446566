/** Those who wait for GPUs, in the order in which that began; for one that others have passed too often devices are kept. */
import type { Clock, Disarm } from "../../../core/time/clock.ts";
import type { Endpoint } from "../../../core/resources/endpoint.ts";
import {
  type GpuDevice,
  type GpuRequirement,
  usefulGpus,
} from "../../../core/workers/gpu-allocation.ts";

/** Workers with fewer devices that may start before one that has waited longer. */
const PASSES_MAX = 4;

/** Workers may stay for as long as they have jobs, and some for ever: nobody's devices lie idle longer than this for them. */
const KEEP_MS = 600_000;

/** Who wants GPUs: an endpoint for one of its workers, or a pod for itself. */
export type GpuRequester = Pick<Endpoint, "id" | "computeType"> & GpuRequirement;

export interface GpuLineOptions {
  readonly clock: Clock;
  /** Called when devices begin to be kept for one. */
  readonly keeps: (requester: GpuRequester) => void;
  /** Called when they are no longer, and it still lacks some. */
  readonly keptInVain: (requester: GpuRequester) => void;
}

interface Place {
  requester: GpuRequester;
  passes: number;
  /** Set while devices are kept for it. */
  disarm?: Disarm | undefined;
}

export class GpuLine {
  readonly #options: GpuLineOptions;
  readonly #places = new Map<string, Place>();

  constructor(options: GpuLineOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  /** First come, first. */
  *requesters(): Iterable<GpuRequester> {
    for (const { requester } of this.#places.values()) yield requester;
  }

  /** Lines up at the end, unless it is in line already. */
  add(requester: GpuRequester): void {
    const place = this.#places.get(requester.id);
    if (place) place.requester = requester;
    else this.#places.set(requester.id, { requester, passes: 0 });
  }

  /** Answers whether it was in line. */
  remove(id: string): boolean {
    this.#places.get(id)?.disarm?.();
    return this.#places.delete(id);
  }

  /** To be called before `remove` when the one with the id gets devices of `known`: others have waited longer. */
  isServed(id: string, devices: readonly GpuDevice[], known: readonly GpuDevice[]): void {
    for (const place of this.#places.values()) {
      if (place.requester.id === id) return;
      const useful = usefulGpus(known, place.requester);
      if (devices.some((device) => useful.has(device))) this.#isPassed(place);
    }
  }

  /** Those for whom devices are kept from the one with the id: none that lined up after it. */
  keepers(id: string): readonly GpuRequester[] {
    const keepers = [];
    for (const { requester, disarm } of this.#places.values()) {
      if (requester.id === id) break;
      if (disarm !== undefined) keepers.push(requester);
    }
    return keepers;
  }

  close(): void {
    for (const { disarm } of this.#places.values()) disarm?.();
    this.#places.clear();
  }

  #isPassed(place: Place): void {
    const { clock, keeps, keptInVain } = this.#options;
    place.passes += 1;
    if (place.passes < PASSES_MAX || place.disarm) return;
    place.disarm = clock.wakeAt(clock.now() + KEEP_MS, () => {
      place.passes = 0;
      place.disarm = undefined;
      keptInVain(place.requester);
    });
    keeps(place.requester);
  }
}
