/** The current service time, for ages and countdowns: `in 8 s`, `for 3 m`. */
import { useEffect, useReducer, useRef } from "preact/hooks";
import type { Clock } from "../../../runtime/protocol/generated/answers.ts";
import { reckon, reckoned, type Reckoning } from "./service-time.ts";
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
