/** What time has set off is waited for, with everything that follows from it. */
import { expect, test } from "vitest";
import { Activity } from "../../../emulator/engine/activity.ts";

const never = new AbortController().signal;

test("nothing under way is settled at once", async () => {
  expect(await new Activity().settled(never)).toBe(true);
});

test("work is waited for until it ends, whether it succeeds or fails", async () => {
  const activity = new Activity();
  const good = Promise.withResolvers<string>();
  const bad = Promise.withResolvers<string>();
  const tracked = [activity.track("a retry", good.promise), activity.track("a look", bad.promise)];
  let isSettled = false;
  const settled = activity.settled(never).then(() => (isSettled = true));
  expect(activity.underWay).toEqual(["a retry", "a look"]);
  good.resolve("done");
  expect(await tracked[0]).toBe("done");
  expect(isSettled).toBe(false);
  bad.reject(new Error("it broke"));
  await expect(tracked[1]).rejects.toThrow("it broke");
  await settled;
  expect(activity.underWay).toEqual([]);
});

test("work that follows from work is waited for as well", async () => {
  const activity = new Activity();
  const first = Promise.withResolvers<undefined>();
  const second = Promise.withResolvers<undefined>();
  const chain = async () => {
    await first.promise;
    void activity.track("what follows", second.promise);
  };
  void activity.track("what begins", chain());
  let isSettled = false;
  const settled = activity.settled(never).then(() => (isSettled = true));
  first.resolve(undefined);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect([isSettled, activity.underWay]).toEqual([false, ["what follows"]]);
  second.resolve(undefined);
  await settled;
});

test("who waits gives up when told to, and work of one kind is named once", async () => {
  const activity = new Activity();
  const { promise } = Promise.withResolvers<undefined>();
  void activity.track("webhook delivery", promise);
  void activity.track("webhook delivery", promise);
  const patience = new AbortController();
  const settled = activity.settled(patience.signal);
  patience.abort();
  expect(await settled).toBe(false);
  expect(await activity.settled(patience.signal)).toBe(false);
  expect(activity.underWay).toEqual(["webhook delivery"]);
});
