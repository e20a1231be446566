/** The log has one line a minute for each kind of refusal, however often peers are refused. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RefusalLog } from "../../../emulator/net/refusal-log.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("the first refusal of a kind is logged at once, and those of the next minute are one line", () => {
  const lines: unknown[] = [];
  const refusals = new RefusalLog((fields, sentence) => lines.push([fields, sentence]));
  for (let peer = 1; peer <= 600; peer += 1) refusals.say("tls", { peer }, "no TLS");
  refusals.say("full", { peer: 0 }, "too many");
  expect(lines).toEqual([
    [{ peer: 1 }, "no TLS"],
    [{ peer: 0 }, "too many"],
  ]);
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(2)).toEqual([
    [{ peer: 600, count: 599 }, "no TLS (599 more in the last minute)"],
  ]);
});

it("a line with a number begins the next minute, and a minute without refusals ends it", () => {
  const lines: string[] = [];
  const refusals = new RefusalLog((_, sentence) => lines.push(sentence));
  const say = () => refusals.say("tls", {}, "no TLS");
  say();
  say();
  vi.advanceTimersByTime(60_000);
  say();
  expect(lines).toEqual(["no TLS", "no TLS (1 more in the last minute)"]);
  vi.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(3);
  vi.advanceTimersByTime(60_000);
  say();
  expect(lines.slice(3)).toEqual(["no TLS"]);
  refusals.stop();
  expect(vi.getTimerCount()).toBe(0);
});
