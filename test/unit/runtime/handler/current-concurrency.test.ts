/** A handler's concurrency function gets one question at a time, and no question is lost. */
import { expect, test } from "vitest";
import { CurrentConcurrency } from "../../../../runtime/handler/current-concurrency.ts";

const log = { warn: () => {} };

test("questions during a call are asked together after it", async () => {
  const asked: { readonly current: number; readonly answer: (value: number) => void }[] = [];
  const concurrency = new CurrentConcurrency(
    (current) => new Promise((answer) => asked.push({ current, answer })),
    log,
  );
  const changes: number[] = [];
  const done = concurrency.ask((value) => changes.push(value));
  for (let n = 0; n < 3; n++) await concurrency.ask((value) => changes.push(value));
  expect(asked.map(({ current }) => current)).toEqual([1]);
  asked[0]?.answer(5);
  while (asked.length < 2) await Promise.resolve();
  asked[1]?.answer(5);
  await done;
  expect(asked.map(({ current }) => current)).toEqual([1, 5]);
  expect(changes).toEqual([5]);
  expect(concurrency.current).toBe(5);
});

test("a number is never called", async () => {
  const concurrency = new CurrentConcurrency(3, log);
  await concurrency.ask(() => expect.unreachable());
  expect(concurrency.current).toBe(3);
});
