/** A worker that leaves waits for the receipts of its outcomes while they are in transit. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PendingReceipts } from "../../../../runtime/source/pending-receipts.ts";

const LIMIT_MS = 5_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function waiting(confirmed: () => number) {
  const receipts = new PendingReceipts();
  const outcome = Promise.withResolvers<void>();
  receipts.add(outcome.promise);
  let isOver = false;
  void receipts.all(LIMIT_MS, confirmed).then(() => (isOver = true));
  return { receive: outcome.resolve, isOver: () => isOver };
}

it("the wait ends with the last receipt", async () => {
  const { receive, isOver } = waiting(() => 0);
  await vi.advanceTimersByTimeAsync(LIMIT_MS - 1);
  expect(isOver()).toBe(false);
  receive();
  await vi.advanceTimersByTimeAsync(0);
  expect(isOver()).toBe(true);
});

it("the wait ends after the limit without progress", async () => {
  const { isOver } = waiting(() => 7);
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(isOver()).toBe(true);
});

it("the wait continues while the service accepts pieces", async () => {
  let pieces = 0;
  const { isOver } = waiting(() => pieces);
  for (; pieces < 20; pieces += 1) await vi.advanceTimersByTimeAsync(LIMIT_MS - 1);
  expect(isOver()).toBe(false);
  await vi.advanceTimersByTimeAsync(2 * LIMIT_MS);
  expect(isOver()).toBe(true);
});
