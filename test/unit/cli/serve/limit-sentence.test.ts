/** The summary of what was over the rate limits. */
import { expect, test } from "vitest";
import { limitSentence } from "../../../../emulator/cli/serve/announcement.ts";

const at = Date.UTC(2026, 0, 1);
const exceeded = {
  endpointId: "hello",
  operation: "/run",
  count: 37,
  rate: { peak: 1_037, limit: 1_000 },
  concurrency: { peak: 12, limit: 200 },
  firstAt: at,
  lastAt: at + 1_500,
};

test("says how many there were, how much was asked of what is allowed, and when", () => {
  expect(limitSentence(exceeded, "enforce")).toBe(
    "rate limits: 37 requests to /run of hello were answered 429, as in production: up to 1037 in 10 s where 1000 are allowed; up to 12 at once where 200 are allowed; from 2026-01-01T00:00:00.000Z to 2026-01-01T00:00:01.500Z",
  );
});

test("says what production would have done, and of one request speaks as of one", () => {
  const one = { ...exceeded, count: 1, concurrency: undefined, lastAt: at };
  expect(limitSentence(one, "warn")).toBe(
    "rate limits: 1 request to /run of hello would have been answered 429 in production: up to 1037 in 10 s where 1000 are allowed; at 2026-01-01T00:00:00.000Z",
  );
});
