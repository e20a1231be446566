/** The real clock and random source, behind the ports of core and engine. */
import { randomBytes, randomInt } from "node:crypto";
import os from "node:os";
import { V7Generator } from "uuidv7";
import type { Clock, Random } from "../core/time/clock.ts";

/** Maximum delay of a Node timer: its clock stands still while a machine sleeps. */
const LONGEST_TIMER_MS = 60_000;
/** Minimum difference between two clocks that is examined, and minimum sleep that counts. */
const NOTICED_MS = 1_000;

/** Readings of a machine's clocks, ms. */
export interface MachineClocks {
  /** Wall clock: may be set at any time. */
  readonly wall: () => number;
  /** Cannot be set. On Linux it stops while the machine sleeps. */
  readonly steady: () => number;
  /** Cannot be set. It continues while the machine sleeps. */
  readonly uptime: () => number;
}

const MACHINE: MachineClocks = {
  wall: () => Date.now(),
  steady: () => performance.now(),
  uptime: () => os.uptime() * 1_000,
};

/**
 * Starts at the wall time and follows the monotonic clock, so setting the system's clock does not change it. A sleep of the
 * machine counts: the wall clock shows that there may have been one, the uptime shows its length.
 */
export function createSystemClock({ wall, steady, uptime }: MachineClocks = MACHINE): Clock {
  const madeAt = wall() - steady();
  const awakeAt = uptime() - steady();
  let wallAheadMs = madeAt;
  let sleptMs = 0;
  const now = () => {
    const at = steady();
    const aheadMs = wall() - at;
    if (Math.abs(aheadMs - wallAheadMs) > NOTICED_MS) {
      wallAheadMs = aheadMs;
      const awayMs = uptime() - at - awakeAt;
      if (awayMs - sleptMs > NOTICED_MS) sleptMs = awayMs;
    }
    return Math.floor(madeAt + at + sleptMs);
  };
  return { now, wakeAt: wakerOf(now) };
}

/**
 * All timers share one of Node's. It is armed for the earliest moment or for one before it: most timers are disarmed long before
 * their time.
 */
function wakerOf(now: () => number): Clock["wakeAt"] {
  const wakes = new Set<{ readonly at: number; readonly wake: () => void }>();
  let timer: NodeJS.Timeout | undefined;
  let armedFor = Number.POSITIVE_INFINITY;
  const aim = (at: number) => {
    if (at >= armedFor) return;
    clearTimeout(timer);
    armedFor = at;
    timer = setTimeout(fire, Math.min(LONGEST_TIMER_MS, Math.max(0, at - now()))).unref();
  };
  const fire = () => {
    armedFor = Number.POSITIVE_INFINITY;
    const present = now();
    const due = [...wakes].filter(({ at }) => at <= present).toSorted((a, b) => a.at - b.at);
    try {
      // One of them may disarm a later one.
      for (const entry of due) if (wakes.delete(entry)) entry.wake();
    } finally {
      let next = Number.POSITIVE_INFINITY;
      for (const { at } of wakes) next = Math.min(next, at);
      aim(next);
    }
  };
  return (at, wake) => {
    const entry = { at, wake };
    wakes.add(entry);
    aim(at);
    return () => void wakes.delete(entry);
  };
}

/** A clock that stands still at `at`. Timers that are due by then fire at once. */
export function createStandingClock(at: number): Clock {
  return {
    now: () => at,
    wakeAt(dueAt, wake) {
      if (dueAt > at) return () => undefined;
      const soon = setImmediate(wake);
      return () => clearImmediate(soon);
    },
  };
}

const SHORT_ID_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** 144 bits, in 24 characters. */
const TOKEN_BYTES = 18;
/** Random bytes in one call: a few cost as much as many. */
const POOL_BYTES = 256 * TOKEN_BYTES;

export function createSystemRandom(): Random {
  let pool = Buffer.alloc(0);
  let used = 0;
  /** The place of fresh bytes in the pool. */
  const take = (length: number) => {
    if (used + length > pool.length) {
      pool = randomBytes(POOL_BYTES);
      used = 0;
    }
    used += length;
    return used - length;
  };
  const nextUint32 = () => {
    const at = take(4);
    return pool.readUInt32LE(at);
  };
  const generator = new V7Generator({ nextUint32 });
  return {
    uuid: (now) => generator.generateOrResetWithTs(now).toString(),
    token: () => {
      const at = take(TOKEN_BYTES);
      return pool.toString("base64url", at, used);
    },
    bytes: (length) => randomBytes(length),
    shortId: (length) =>
      Array.from({ length }, () => SHORT_ID_LETTERS[randomInt(SHORT_ID_LETTERS.length)]).join(""),
  };
}
