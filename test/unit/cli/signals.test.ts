/** States which signals count as one request to stop and which as another. */
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { countStopSignals } from "../../../emulator/cli/signals.ts";

/** Sends signals at given times, ms, and tells how many requests they were. */
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

test("the first signal counts, however early", () => {
  expect(requestsOf([0, "SIGINT"])).toBe(1);
});

test("the same signal counts again when some time has passed", () => {
  expect(requestsOf([0, "SIGINT"], [300, "SIGINT"])).toBe(2);
});

test("a key that is held down counts again after a while", () => {
  expect(requestsOf([0, "SIGINT"], [150, "SIGINT"], [300, "SIGINT"], [450, "SIGINT"])).toBe(2);
});

test("another signal counts at once", () => {
  expect(requestsOf([0, "SIGINT"], [1, "SIGTERM"], [2, "SIGINT"])).toBe(3);
});

test("more signals than there are stages change nothing", () => {
  expect(() =>
    requestsOf([0, "SIGINT"], [1, "SIGTERM"], [2, "SIGINT"], [3, "SIGTERM"]),
  ).not.toThrow();
});
