/**
 * Service time with a database: samples of the database's clock, one per renewal of the claim, extended by the monotonic clock
 * of the process. The wall clock of the machine is not used.
 *
 * - A sample more than 5 s off the prediction is a leap of the database's clock. An offset shared by all replicas takes it
 * back. A smaller difference is slewed: service time runs faster or slower until it is made up.
 * - A process that stood still does not know the time. Its service time stands still until the next sample, so that nothing
 * expires. The same happens in a process that finds the database far ahead of the other replicas, until those have sampled too.
 * - Service time never goes back, in the whole cluster: the time that any replica has told is a lower bound for all. A jump of
 * the monotonic clock, for example after the sleep of a machine, counts as a standstill.
 */
import type { Clock, Disarm } from "./clock.ts";

/** Minimum difference between a sample and the prediction that counts as a leap. */
const LEAP_MS = 5_000;
/** Minimum interval between two readings of the monotonic clock that counts as a standstill. */
const STANDSTILL_MS = 5_000;
/** Maximum round trip of a sample. */
const ROUND_TRIP_MS = 500;
/** Share of the elapsed time by which service time is slewed. */
const SLEW = 0.5;
/** Interval between looks at the monotonic clock. */
const LOOK_EVERY_MS = 1_000;
/** Maximum delay of a timer: a sample may have moved service time meanwhile. */
const TIMER_MS = 10_000;
/** Delay of a timer that is due while service time stands still. */
const STANDING_MS = 100;

export interface TimeSample {
  /** Monotonic clock of this process before the question to the database and after its answer, ms. */
  readonly askedAt: number;
  readonly answeredAt: number;
  /** The clock of the database, ms. */
  readonly databaseAt: number;
  /** Offset that takes back leaps of the clock, ms. */
  readonly offsetMs: number;
  /** Highest service time that any replica has told. */
  readonly highest: number;
  /** Whether another running replica knows the time. */
  readonly isKnownElsewhere: boolean;
}

/** A leap of the database's clock that no replica has taken back yet. Times are service time, ms. */
export interface Leap {
  readonly expected: number;
  readonly found: number;
  readonly offsetMs: number;
}

export class SampledTime implements Clock {
  readonly #steady: Clock;
  /** The last accepted sample. */
  #sample: { readonly at: number; readonly time: number } | undefined;
  /** Beginning and amount of the slew. */
  #slewed = { at: 0, time: 0, errorMs: 0 };
  #told = 0;
  #seenAt: number;
  #isKnown = false;
  #disarm: Disarm;

  /** @param steady the monotonic clock; its zero does not matter */
  constructor(steady: Clock) {
    this.#steady = steady;
    this.#seenAt = steady.now();
    this.#disarm = this.#lookLater();
  }

  /** Whether the time is known; until then `now` stands still. */
  get isKnown(): boolean {
    this.#look();
    return this.#isKnown;
  }

  now(): number {
    const at = this.#look();
    if (this.#isKnown) this.#told = Math.max(this.#told, this.#timeAt(at));
    return Math.floor(this.#told);
  }

  wakeAt(at: number, wake: () => void): Disarm {
    let disarm: Disarm = () => undefined;
    const arm = () => {
      const leftMs = at - this.now();
      const delayMs = Math.min(TIMER_MS, Math.max(this.#isKnown ? 0 : STANDING_MS, leftMs));
      disarm = this.#steady.wakeAt(this.#steady.now() + delayMs, fire);
    };
    const fire = () => (this.now() < at ? arm() : wake());
    arm();
    return () => disarm();
  }

  /** Takes a sample in. Returns a leap that has to be taken back before a sample is accepted. */
  take(sample: TimeSample): Leap | undefined {
    this.#look();
    const { askedAt, answeredAt, databaseAt, offsetMs } = sample;
    const tripMs = answeredAt - askedAt;
    const isSlow = tripMs < 0 || tripMs > ROUND_TRIP_MS;
    if (isSlow && this.#isKnown) return undefined;
    // A slow answer is only a lower bound.
    const found = databaseAt + offsetMs + (isSlow ? 0 : tripMs / 2);
    const expected = this.#isKnown
      ? this.#expectedOf(sample, found)
      : this.#expectedAnew(sample, found);
    if (expected === undefined) return undefined;
    return { expected, found, offsetMs: Math.round(offsetMs + expected - found) };
  }

  close(): void {
    this.#disarm();
  }

  /** The expected time of a rejected sample; undefined for an accepted one. */
  #expectedOf({ answeredAt, highest }: TimeSample, found: number): number | undefined {
    const predicted = this.#predictedAt(answeredAt) ?? found;
    if (Math.abs(found - predicted) <= LEAP_MS) {
      this.#accept(answeredAt, found, this.now());
      return undefined;
    }
    // If the others are ahead too, this process stood still, with its clocks.
    if (found < predicted || highest - predicted <= LEAP_MS) return predicted;
    this.#accept(answeredAt, found, found);
    return undefined;
  }

  /** The expected time, for a process that does not know the time. Also undefined if it has to ask again. */
  #expectedAnew(sample: TimeSample, found: number): number | undefined {
    const { answeredAt, highest, isKnownElsewhere } = sample;
    this.#told = Math.max(this.#told, highest);
    if (found < highest - LEAP_MS) return highest;
    if (found > highest + LEAP_MS) {
      if (isKnownElsewhere) return undefined;
      const predicted = this.#predictedAt(answeredAt);
      if (predicted !== undefined && found > predicted + LEAP_MS)
        return Math.max(predicted, highest);
    }
    this.#accept(answeredAt, found, found);
    return undefined;
  }

  #predictedAt(at: number): number | undefined {
    return this.#sample && this.#sample.time + at - this.#sample.at;
  }

  /** @param from lower bound of the new service time */
  #accept(at: number, time: number, from: number): void {
    this.#sample = { at, time };
    this.#told = Math.max(this.#told, from);
    this.#slewed = { at, time: this.#told, errorMs: time - this.#told };
    this.#isKnown = true;
  }

  #timeAt(at: number): number {
    const { at: since, time, errorMs } = this.#slewed;
    const elapsedMs = Math.max(0, at - since);
    const mostMs = elapsedMs * SLEW;
    return time + elapsedMs + Math.min(mostMs, Math.max(-mostMs, errorMs));
  }

  /** Reads the monotonic clock, and notes a standstill or a jump since the last reading. */
  #look(): number {
    const at = this.#steady.now();
    const sinceMs = at - this.#seenAt;
    if (sinceMs < 0 || sinceMs > STANDSTILL_MS) this.#isKnown = false;
    this.#seenAt = at;
    return at;
  }

  #lookLater(): Disarm {
    return this.#steady.wakeAt(this.#steady.now() + LOOK_EVERY_MS, () => {
      this.#look();
      this.#disarm = this.#lookLater();
    });
  }
}
