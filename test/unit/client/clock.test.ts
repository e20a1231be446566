/** The system's clock in the client. */
import { describe, expect, test } from "vitest";
import { systemClock, withDeadline } from "../../../runtime/client/clock.ts";
import { TestClock } from "./test-clock.ts";

describe("the system's clock", () => {
  test("never runs backwards over a sleep", async () => {
    const before = systemClock.now();
    await systemClock.sleep(1);
    expect(systemClock.now()).toBeGreaterThan(before);
  });

  test("ends a sleep with the signal's own reason", async () => {
    const reason = new Error("enough");
    const stop = new AbortController();
    const sleep = systemClock.sleep(1_000_000, stop.signal);
    stop.abort(reason);
    await expect(sleep).rejects.toBe(reason);
    await expect(systemClock.sleep(1_000_000, stop.signal)).rejects.toBe(reason);
  });
});

describe("withDeadline", () => {
  test("leaves no sleep behind when the work ends first", async () => {
    const clock = new TestClock("manual");
    const limits = { timeoutMs: 1000, signal: undefined };
    const result = await withDeadline(
      clock,
      limits,
      () => new Error("late"),
      () => Promise.resolve(1),
    );
    expect(result).toBe(1);
    expect(clock.sleepers).toBe(0);
  });

  test("does not begin the work of an aborted call", async () => {
    const limits = { timeoutMs: 1000, signal: AbortSignal.abort(new Error("enough")) };
    let begun = false;
    const work = async (): Promise<void> => {
      begun = true;
    };
    await expect(
      withDeadline(new TestClock(), limits, () => new Error("late"), work),
    ).rejects.toThrow("enough");
    expect(begun).toBe(false);
  });
});
