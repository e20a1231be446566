/** Limits the memory of large payloads for the whole service; requests beyond the limit wait in a queue. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Clock } from "../../core/time/clock.ts";
import { ServiceError } from "../../core/service-error.ts";

export interface InFlightLimits {
  readonly maxBytes: number;
  readonly maxWaiting: number;
  /** Maximum time of a wait, ms. */
  readonly waitMs: number;
}

export const IN_FLIGHT_LIMITS: InFlightLimits = {
  maxBytes: LIMITS.inFlightMaxBytes,
  maxWaiting: LIMITS.inFlightWaitingMax,
  waitMs: LIMITS.inFlightWaitMs,
};

interface Waiting {
  readonly bytes: number;
  readonly end: (how: End) => void;
}

type End = "has room" | "late" | "gone";

/** Port: bounds of memory. */
export interface LimitPort {
  /** Bounds the memory of large payloads on their way in and out. */
  readonly inFlight: BytesInFlight;
  /** Bounds the memory of inputs on their way to workers. */
  readonly sending: BytesInFlight;
  /** Bounds the memory of large reports of workers, from their arrival until they are stored. */
  readonly receiving: BytesInFlight;
  /** Bounds the memory of chunks that readers of streams have not taken yet. */
  readonly showing: BytesInFlight;
}

export class BytesInFlight {
  readonly #clock: Clock;
  readonly #limits: InFlightLimits;
  readonly #queue = new Set<Waiting>();
  #taken = 0;

  /** `clock` is real time. */
  constructor(clock: Clock, limits: InFlightLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * A share of this many bytes; dispose of it after they were sent. Undefined if `signal` aborts before there is room. First
   * come, first served; the default wait is that of the limits. A share larger than the whole limit is granted while there is
   * no other.
   * @throws ServiceError too_much_in_flight if too many wait already, or there was no room in time
   */
  async take(
    bytes: number,
    signal: AbortSignal,
    waitMs = this.#limits.waitMs,
  ): Promise<Disposable | undefined> {
    if (signal.aborted) return undefined;
    if (this.#queue.size === 0 && this.#hasRoomFor(bytes)) this.#taken += bytes;
    else if (!(await this.#waitForRoom(bytes, signal, waitMs))) return undefined;
    return this.#share(bytes);
  }

  /**
   * Takes a share that may be held for long, out of half of the room. The other half stays free for short shares. Returns
   * undefined if there is no room now.
   */
  takeNow(bytes: number): Disposable | undefined {
    if (this.#queue.size > 0 || this.#taken + bytes > this.#limits.maxBytes / 2) return undefined;
    this.#taken += bytes;
    return this.#share(bytes);
  }

  #share(bytes: number): Disposable {
    let isGivenBack = false;
    return {
      [Symbol.dispose]: () => {
        if (isGivenBack) return;
        isGivenBack = true;
        this.#taken -= bytes;
        this.#advance();
      },
    };
  }

  #hasRoomFor(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#limits.maxBytes;
  }

  /** False if `signal` aborted. */
  async #waitForRoom(bytes: number, signal: AbortSignal, waitMs: number): Promise<boolean> {
    const { maxWaiting } = this.#limits;
    if (this.#queue.size >= maxWaiting) throw refusal("too many requests wait for room already");
    const { promise, resolve: end } = Promise.withResolvers<End>();
    const waiting = { bytes, end };
    const leave = (how: End) => {
      if (!this.#queue.delete(waiting)) return;
      end(how);
      this.#advance();
    };
    const giveUp = () => leave("gone");
    const disarm = this.#clock.wakeAt(this.#clock.now() + waitMs, () => leave("late"));
    signal.addEventListener("abort", giveUp);
    this.#queue.add(waiting);
    const how = await promise;
    disarm();
    signal.removeEventListener("abort", giveUp);
    if (how !== "late") return how === "has room";
    throw refusal(`there was no room for this request within ${waitMs / 1_000} s`);
  }

  /** Grants shares to waiting requests while there is room. */
  #advance(): void {
    for (const waiting of this.#queue) {
      if (!this.#hasRoomFor(waiting.bytes)) return;
      this.#taken += waiting.bytes;
      this.#queue.delete(waiting);
      waiting.end("has room");
    }
  }
}

function refusal(why: string): ServiceError {
  const message = `large payloads of others take all the memory that is meant for them, and ${why}; try again later`;
  return new ServiceError("too_much_in_flight", message, { retryAfterMs: RETRY_AFTER_MS });
}

/** The end of other requests is unknown; this is a guess. */
const RETRY_AFTER_MS = 1_000;
