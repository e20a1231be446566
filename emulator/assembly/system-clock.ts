/** The real clock and random source, behind the ports of core and engine. */
import { randomBytes, randomInt } from "node:crypto";
import { V7Generator } from "uuidv7";
import type { Clock, Random } from "../core/time/clock.ts";

/** The longest delay a Node timer can take. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Starts at the wall time and follows the monotonic clock, so that setting the system clock back does not change it. */
export function createSystemClock(): Clock {
  const madeAt = Date.now();
  const madeAtMonotonic = performance.now();
  const now = () => Math.floor(madeAt + performance.now() - madeAtMonotonic);
  return {
    now,
    wakeAt(at, wake) {
      let timer: NodeJS.Timeout;
      const arm = () => {
        timer = setTimeout(fire, Math.min(LONGEST_TIMER_MS, Math.max(0, at - now())));
        timer.unref();
      };
      const fire = () => (now() < at ? arm() : wake());
      arm();
      return () => clearTimeout(timer);
    },
  };
}

/** Time that stands still at `at`; timers that are due by then fire at once. */
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
/** Many random bytes are drawn at once, because a few cost the same. */
const POOL_BYTES = 256 * TOKEN_BYTES;

export function createSystemRandom(): Random {
  const generator = new V7Generator();
  let pool = Buffer.alloc(0);
  let used = 0;
  const token = () => {
    if (used === pool.length) {
      pool = randomBytes(POOL_BYTES);
      used = 0;
    }
    used += TOKEN_BYTES;
    return pool.toString("base64url", used - TOKEN_BYTES, used);
  };
  return {
    uuid: (now) => generator.generateOrResetWithTs(now).toString(),
    token,
    bytes: (length) => randomBytes(length),
    shortId: (length) =>
      Array.from({ length }, () => SHORT_ID_LETTERS[randomInt(SHORT_ID_LETTERS.length)]).join(""),
  };
}
