/** Endpoints and pods that wait for GPUs, first come, first served; one that was overtaken too often gets devices reserved. */
import type { Clock, Disarm } from "../../../core/time/clock.ts";
import type { Endpoint } from "../../../core/resources/endpoints/endpoint.ts";
import {
  type GpuDevice,
  type GpuRequirement,
  usefulGpus,
} from "../../../core/workers/gpu-allocation.ts";

/** Maximum number of times that a smaller request may overtake an older one. */
const OVERTAKEN_MAX = 4;

/** Maximum time for which devices are idle for a reservation: workers with the other devices may stay for ever. */
const RESERVED_MS = 600_000;

/** An endpoint that waits for GPUs of one worker, or a waiting pod. */
export type GpuRequester = Pick<Endpoint, "id" | "computeType"> & GpuRequirement;

export interface GpuQueueOptions {
  readonly clock: Clock;
  /** Called when a reservation begins. */
  readonly onReserved: (requester: GpuRequester) => void;
  /** Called when a reservation ends with devices still missing. */
  readonly onExpired: (requester: GpuRequester) => void;
}

interface Place {
  requester: GpuRequester;
  overtaken: number;
  /** Set while devices are reserved for it. */
  disarm?: Disarm | undefined;
}

export class GpuQueue {
  readonly #options: GpuQueueOptions;
  readonly #places = new Map<string, Place>();

  constructor(options: GpuQueueOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  /** The longest waits first. */
  *requesters(): Iterable<GpuRequester> {
    for (const { requester } of this.#places.values()) yield requester;
  }

  /** Adds it at the end, unless it waits already. */
  add(requester: GpuRequester): void {
    const place = this.#places.get(requester.id);
    if (place) place.requester = requester;
    else this.#places.set(requester.id, { requester, overtaken: 0 });
  }

  /** True if it was waiting. */
  remove(id: string): boolean {
    this.#places.get(id)?.disarm?.();
    return this.#places.delete(id);
  }

  /** Call it before `remove`, when the requester with this id gets `devices`: it overtakes those that have waited longer. */
  granted(id: string, devices: readonly GpuDevice[], known: readonly GpuDevice[]): void {
    for (const place of this.#places.values()) {
      if (place.requester.id === id) return;
      const useful = usefulGpus(known, place.requester);
      if (devices.some((device) => useful.has(device))) this.#overtake(place);
    }
  }

  /** Requesters with a reservation that are earlier in the queue. */
  reservedBefore(id: string): readonly GpuRequester[] {
    const found = [];
    for (const { requester, disarm } of this.#places.values()) {
      if (requester.id === id) break;
      if (disarm !== undefined) found.push(requester);
    }
    return found;
  }

  close(): void {
    for (const { disarm } of this.#places.values()) disarm?.();
    this.#places.clear();
  }

  #overtake(place: Place): void {
    const { clock, onReserved, onExpired } = this.#options;
    place.overtaken += 1;
    if (place.overtaken < OVERTAKEN_MAX || place.disarm) return;
    place.disarm = clock.wakeAt(clock.now() + RESERVED_MS, () => {
      place.overtaken = 0;
      place.disarm = undefined;
      onExpired(place.requester);
    });
    onReserved(place.requester);
  }
}
