/** Signals that count as one request to stop, and as further ones. */
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { countStopSignals } from "../../../emulator/cli/signals.ts";

/** Sends signals at given times, ms; returns the number of requests. */
function requestsOf(...sent: (readonly [at: number, signal: "SIGINT" | "SIGTERM"])[]): number {
  const source = new EventEmitter();
  let now = 0;
  const signals = countStopSignals(source, () => now);
  for (const [at, signal] of sent) {
    now = at;
    source.emit(signal);
  }
  return signals.count;
}

test("one press of Ctrl-C that reaches the program twice is one request", () => {
  expect(requestsOf([5_000, "SIGINT"], [5_009, "SIGINT"])).toBe(1);
});

test("the first signal counts, however early it comes", () => {
  expect(requestsOf([0, "SIGINT"])).toBe(1);
});

test("the same signal counts again after some time", () => {
  expect(requestsOf([0, "SIGINT"], [300, "SIGINT"])).toBe(2);
});

test("a held key counts again after a while", () => {
  expect(requestsOf([0, "SIGINT"], [150, "SIGINT"], [300, "SIGINT"], [450, "SIGINT"])).toBe(2);
});

test("a different signal counts at once", () => {
  expect(requestsOf([0, "SIGINT"], [1, "SIGTERM"], [2, "SIGINT"])).toBe(3);
});

test("further signals after the last stage change nothing", () => {
  expect(() =>
    requestsOf([0, "SIGINT"], [1, "SIGTERM"], [2, "SIGINT"], [3, "SIGTERM"]),
  ).not.toThrow();
});

test("a stop at once counts as two requests, reaches whatever else listens, and has a reason", () => {
  const source = new EventEmitter();
  const signals = countStopSignals(source);
  const heard: string[] = [];
  for (const signal of ["SIGINT", "SIGTERM"]) source.on(signal, () => heard.push(signal));
  signals.stopAtOnce("the launcher has ended");
  expect(signals.count).toBe(2);
  expect(signals.reason).toBe("the launcher has ended");
  expect(heard.toSorted()).toEqual(["SIGINT", "SIGTERM"]);
});
