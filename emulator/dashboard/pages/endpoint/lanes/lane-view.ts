/** The time that the lanes show, from the address: the last minutes, or a fixed window. Pure. */
import type { Span } from "../../../components/time-scale.ts";

/** Lengths to choose from. */
export const SPANS = [
  [60_000, "1 min"],
  [300_000, "5 min"],
  [900_000, "15 min"],
  [3_600_000, "1 h"],
] as const;

const DEFAULT_SPAN_MS = 900_000;

export interface LaneView {
  readonly window: Span;
  /** The window moves with the time. */
  readonly isLive: boolean;
  readonly isIdleFolded: boolean;
}

type Query = Readonly<Record<string, string>>;

/** @param now service time, ms */
export function viewOf({ span, from, to, idle }: Query, now: number): LaneView {
  const isIdleFolded = idle !== "shown";
  const window = { from: Number(from), to: Number(to) };
  if (from !== undefined && to !== undefined && window.from < window.to) {
    return { window, isLive: false, isIdleFolded };
  }
  const ms = Number(span);
  const length = ms >= 1_000 && ms <= 3_600_000 ? ms : DEFAULT_SPAN_MS;
  return { window: { from: now - length, to: now }, isLive: true, isIdleFolded };
}

/** The query with a window. A window that reaches up to now moves with the time. */
export function withWindow(query: Query, window: Span, now: number): Query {
  const length = window.to - window.from;
  // The factor is rounded to hundredths: a drawing does not show less.
  const isLive = now - window.to < length / 100;
  return {
    ...query,
    span: isLive && length !== DEFAULT_SPAN_MS ? String(Math.round(length)) : "",
    from: isLive ? "" : String(Math.round(window.from)),
    to: isLive ? "" : String(Math.round(window.to)),
  };
}

export function withIdle(query: Query, isFolded: boolean): Query {
  return { ...query, idle: isFolded ? "" : "shown" };
}
