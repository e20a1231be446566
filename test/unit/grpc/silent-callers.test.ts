/** A client that only reads the certificate of the worker port is logged. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SilentCallers } from "../../../emulator/grpc/silent-callers.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("silent peers are reported once per address, but no peer that has spoken since", () => {
  const warned: string[] = [];
  const callers = new SilentCallers({ say: (_, __, sentence) => warned.push(sentence) });
  callers.connected("10.0.0.1");
  callers.connected("10.0.0.1");
  callers.connected("10.0.0.2");
  callers.connected(undefined);
  callers.heard("10.0.0.2");
  // A connection with seconds of latency.
  vi.advanceTimersByTime(29_000);
  expect(warned).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(warned).toEqual([expect.stringContaining("10.0.0.1 has seen the certificate")]);
  callers.connected("10.0.0.1");
  callers.stop();
  vi.advanceTimersByTime(30_000);
  expect(warned).toHaveLength(1);
});
