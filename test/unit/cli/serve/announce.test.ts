/** The wait of a start for the schemas of its handlers. */
import { expect, test, vi } from "vitest";
import { HandlerInputs } from "../../../../emulator/cli/serve/announce.ts";

const input = { type: "object" };

test("a start waits until all handlers have reported, also those without a schema", async () => {
  const told = new HandlerInputs();
  told.note("a", { input });
  const all = told.of(["a", "b"], 1_000_000);
  told.note("other", {});
  expect(await Promise.race([all, Promise.resolve("waits")])).toBe("waits");
  told.note("b", { output: input });
  expect(await all).toEqual(new Map([["a", input]]));
  expect(await told.of([], 1_000_000)).toEqual(new Map());
});

test("a start waits no longer than the limit", async () => {
  vi.useFakeTimers();
  const told = new HandlerInputs();
  const all = told.of(["a", "b"], 2_000);
  told.note("a", { input });
  await vi.advanceTimersByTimeAsync(2_000);
  vi.useRealTimers();
  expect(await all).toEqual(new Map([["a", input]]));
});
