/** The benchmark's peer submits concurrent items in one call. */
import { expect, test } from "vitest";
import { batchedCalls } from "../../../bench/peers/batched-calls.ts";

test("items of one turn share a call; items that arrive during it share the next call", async () => {
  const calls: (readonly number[])[] = [];
  const first = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const submit = batchedCalls(async (items: readonly number[]) => {
    calls.push(items);
    begun.resolve();
    if (calls.length === 1) await first.promise;
  });
  const one = submit(1);
  const two = submit(2);
  await begun.promise;
  const rest = [submit(3), submit(4)];
  expect(calls).toEqual([[1, 2]]);
  first.resolve();
  await Promise.all([one, two, ...rest]);
  expect(calls).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test("a failed call rejects all of its own items and no others", async () => {
  const submit = batchedCalls(async (items: readonly number[]) => {
    if (items.includes(2)) throw new Error("no room");
  });
  const failed = await Promise.allSettled([submit(1), submit(2)]);
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await submit(3);
});
