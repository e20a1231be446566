/** Work that time has triggered is waited for, with all work that follows from it. */
import { expect, test } from "vitest";
import { PendingWork } from "../../../../emulator/engine/time/pending-work.ts";

const never = new AbortController().signal;

test("without pending work, settled resolves at once", async () => {
  expect(await new PendingWork().settled(never)).toBe(true);
});

test("settled waits until work ends, whether it succeeds or fails", async () => {
  const pendingWork = new PendingWork();
  const good = Promise.withResolvers<string>();
  const bad = Promise.withResolvers<string>();
  const tracked = [
    pendingWork.track("a retry", good.promise),
    pendingWork.track("a look", bad.promise),
  ];
  let isSettled = false;
  const settled = pendingWork.settled(never).then(() => (isSettled = true));
  expect(pendingWork.underWay).toEqual(["a retry", "a look"]);
  good.resolve("done");
  expect(await tracked[0]).toBe("done");
  expect(isSettled).toBe(false);
  bad.reject(new Error("it broke"));
  await expect(tracked[1]).rejects.toThrow("it broke");
  await settled;
  expect(pendingWork.underWay).toEqual([]);
});

test("settled also waits for work that follows from other work", async () => {
  const pendingWork = new PendingWork();
  const first = Promise.withResolvers<undefined>();
  const second = Promise.withResolvers<undefined>();
  const chain = async () => {
    await first.promise;
    void pendingWork.track("what follows", second.promise);
  };
  void pendingWork.track("what begins", chain());
  let isSettled = false;
  const settled = pendingWork.settled(never).then(() => (isSettled = true));
  first.resolve(undefined);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect([isSettled, pendingWork.underWay]).toEqual([false, ["what follows"]]);
  second.resolve(undefined);
  await settled;
});

test("the wait ends when its signal is aborted, and work of one kind is named once", async () => {
  const pendingWork = new PendingWork();
  const { promise } = Promise.withResolvers<undefined>();
  void pendingWork.track("webhook delivery", promise);
  void pendingWork.track("webhook delivery", promise);
  const patience = new AbortController();
  const settled = pendingWork.settled(patience.signal);
  patience.abort();
  expect(await settled).toBe(false);
  expect(await pendingWork.settled(patience.signal)).toBe(false);
  expect(pendingWork.underWay).toEqual(["webhook delivery"]);
});
