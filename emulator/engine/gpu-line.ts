/** Those who wait for GPUs, in the order in which that began; for one that others have passed too often devices are kept. */
import type { Clock, Disarm } from "../core/clock.ts";
import type { Endpoint } from "../core/endpoint.ts";
import { type GpuDevice, type GpuWish, usefulGpus } from "../core/gpu-allocation.ts";

/** Workers with fewer devices that may start before one that has waited longer. */
const PASSES_MAX = 4;

/** Workers may stay for as long as they have jobs, and some for ever: nobody's devices lie idle longer than this for them. */
const KEEP_MS = 600_000;

/** Who wants GPUs: an endpoint for one of its workers, or a pod for itself. */
export type GpuWisher = Pick<Endpoint, "id" | "computeType"> & GpuWish;

export interface GpuLineOptions {
  readonly clock: Clock;
  /** Called when devices begin to be kept for one. */
  readonly keeps: (wisher: GpuWisher) => void;
  /** Called when they are no longer, and it still lacks some. */
  readonly keptInVain: (wisher: GpuWisher) => void;
}

interface Place {
  wisher: GpuWisher;
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
  *wishers(): Iterable<GpuWisher> {
    for (const { wisher } of this.#places.values()) yield wisher;
  }

  /** Lines up at the end, unless it is in line already. */
  add(wisher: GpuWisher): void {
    const place = this.#places.get(wisher.id);
    if (place) place.wisher = wisher;
    else this.#places.set(wisher.id, { wisher, passes: 0 });
  }

  /** Answers whether it was in line. */
  remove(id: string): boolean {
    this.#places.get(id)?.disarm?.();
    return this.#places.delete(id);
  }

  /** To be called before `remove` when the one with the id gets devices of `known`: others have waited longer. */
  isServed(id: string, devices: readonly GpuDevice[], known: readonly GpuDevice[]): void {
    for (const place of this.#places.values()) {
      if (place.wisher.id === id) return;
      const useful = usefulGpus(known, place.wisher);
      if (devices.some((device) => useful.has(device))) this.#isPassed(place);
    }
  }

  /** Those for whom devices are kept from the one with the id: none that lined up after it. */
  keepers(id: string): readonly GpuWisher[] {
    const keepers = [];
    for (const { wisher, disarm } of this.#places.values()) {
      if (wisher.id === id) break;
      if (disarm !== undefined) keepers.push(wisher);
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
      keptInVain(place.wisher);
    });
    keeps(place.wisher);
  }
}
