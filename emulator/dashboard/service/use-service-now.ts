/** The current service time, for ages and countdowns: `in 8 s`, `for 3 m`. */
import { useEffect, useReducer, useRef } from "preact/hooks";
import type { Clock } from "./generated/answers.ts";
import { useRead } from "./use-read.ts";

/** Interval between readings of the clock, ms. */
const READ_MS = 10_000;
const TICK_MS = 1_000;

/** Ticks once a second. Undefined before the first reading. */
export function useServiceNow(): number | undefined {
  const { value } = useRead<"readClock">("emulator/clock", {
    concerns: ({ type }) => type === "clock",
    everyMs: READ_MS,
  });
  const read = useRef<{ value: Clock; reckoning: Reckoning } | undefined>(undefined);
  if (value !== undefined && value !== read.current?.value) {
    const reckoning = reckon(read.current?.reckoning, value.nowMs, performance.now());
    read.current = { value, reckoning };
  }
  const [, tick] = useReducer<number, void>((ticks) => ticks + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => tick(), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return read.current && reckoned(read.current.reckoning, performance.now());
}

interface Reckoning {
  /** Service time at the last reading, ms since 1970. */
  readonly nowMs: number;
  /** The moment of that reading by the page's clock, ms. */
  readonly readAtMs: number;
  /** The clock moves only when someone advances it. */
  readonly stands: boolean;
}

/** Minimum time between two readings that tell whether the clock runs, ms. */
const TELLING_MS = 500;

/** The reckoning after a reading at `readAtMs`. */
export function reckon(before: Reckoning | undefined, nowMs: number, readAtMs: number): Reckoning {
  if (before === undefined) return { nowMs, readAtMs, stands: false };
  const isTelling = readAtMs - before.readAtMs > TELLING_MS;
  return { nowMs, readAtMs, stands: isTelling ? nowMs === before.nowMs : before.stands };
}

/** Service time at `atMs` of the page's clock. */
export function reckoned({ nowMs, readAtMs, stands }: Reckoning, atMs: number): number {
  return stands ? nowMs : nowMs + Math.max(0, atMs - readAtMs);
}
