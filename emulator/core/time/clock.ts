/** Ports of time and chance: core and engine use no other source. */

/** Cancels the timer; does nothing after it has fired, or when called again. */
export type Disarm = () => void;

export interface Clock {
  /**
   * Service time: milliseconds since the epoch (UTC). It never goes backwards while the service runs, even if the system's
   * clock does. All durations and due moments are measured in it.
   */
  now(): number;
  /** Calls `wake` once when service time has reached `at` (ms): later on a busy machine, never earlier. */
  wakeAt(at: number, wake: () => void): Disarm;
}

/** The stored state of service time: with it, time does not go backwards over a restart. */
export interface ClockRecord {
  /** Lead over real time from advancing, ms. */
  readonly offsetMs: number;
  /** Highest stored service time, if the machine's clock is the only source. */
  readonly highest?: number;
}

export interface Random {
  /** A new UUID v7 for service time `now` (ms). Ids sort by age. */
  uuid(now: number): string;
  /** An unguessable token of at least 128 bits, URL-safe. */
  token(): string;
  /** `length` bytes for keys and nonces. */
  bytes(length: number): Uint8Array;
  /** `length` lower-case letters and digits. */
  shortId(length: number): string;
}
