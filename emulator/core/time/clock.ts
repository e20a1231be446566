/** Ports: clock and randomness. Core and engine learn time and chance in no other way. */

/** Cancels what was armed; calling it again, or after it fired, does nothing. */
export type Disarm = () => void;

export interface Clock {
  /**
   * Service time: milliseconds since the epoch (UTC) that never go backwards while the service runs, even when the
   * system's clock is set back. All durations and due moments are measured in it.
   */
  now(): number;
  /** Calls `wake` once when service time has reached `at` (ms); later than that on a busy machine, never earlier. */
  wakeAt(at: number, wake: () => void): Disarm;
}

/** What is kept of service time, so that it does not go backwards over a restart. */
export interface ClockRecord {
  /** How far it is ahead of real time because it was advanced, ms. */
  readonly offsetMs: number;
  /** Highest service time that was stored, where the clock of the machine is all there is. */
  readonly highest?: number;
}

export interface Random {
  /** A fresh UUID v7 for service time `now` (ms); ids made later sort after ids made earlier. */
  uuid(now: number): string;
  /** An unguessable token of at least 128 bits, URL-safe. */
  token(): string;
  /** `length` bytes for keys and nonces. */
  bytes(length: number): Uint8Array;
  /** `length` characters of lower-case letters and digits. */
  shortId(length: number): string;
}
