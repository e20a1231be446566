/** A start on a full disk: its writes wait for room, in order, and are done when there is room. */
import { expect, it } from "vitest";
import { openEngine } from "../../../../emulator/engine/engine.ts";
import { quietSteps } from "../steps/quiet-steps.ts";
import { settleKeys } from "../../../../emulator/engine/access/service-keys.ts";
import { StartWork } from "../../../../emulator/engine/parts/start-work.ts";
import { localEndpoint, localTemplate } from "../../../../emulator/handlers/local-endpoint.ts";
import { StoreFullError, StoreUnusableError } from "../../../../emulator/core/store-error.ts";
import { createSystemRandom } from "../../../../emulator/assembly/system-clock.ts";
import { handedOver, waitingJob } from "../../../contract/store/subject.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { ScriptedSender } from "../../scripted-sender.ts";
import { storeThatFills } from "../filling-store.ts";

const full = new StoreFullError("there is no room");

function startWork() {
  const clock = new FakeClock();
  const logged: string[] = [];
  const log = {
    info: (_: object, message: string) => void logged.push(message),
    warn: (_: object, message: string) => void logged.push(message),
    error: (_: object, message: string) => void logged.push(message),
  };
  const done: string[] = [];
  const work = (name: string, ...failures: Error[]) => {
    const left = [...failures];
    return async () => {
      const failure = left.shift();
      if (failure) throw failure;
      done.push(name);
    };
  };
  const nextTry = async () => {
    await clock.advance(1_000);
  };
  return { start: new StartWork(clock, log), clock, log, logged, done, work, nextTry };
}

it("work is done at once if there is room, and other failures are passed on", async () => {
  const { start, done, work, logged } = startWork();
  await start.do(work("a"));
  await expect(start.do(work("b", new RangeError("no sense")))).rejects.toThrow("no sense");
  expect({ done, isWaiting: start.isWaiting, logged }).toEqual({
    done: ["a"],
    isWaiting: false,
    logged: [],
  });
});

it("work is done in order: later work waits behind work without room", async () => {
  const { start, done, work, nextTry, logged } = startWork();
  await start.do(work("a", full, full));
  await start.do(work("b", full));
  await start.do(work("c"));
  expect(logged).toEqual([
    expect.stringMatching(/^there is no room; until there is room, .* can be read/),
  ]);
  await nextTry();
  expect({ done, isWaiting: start.isWaiting }).toEqual({ done: [], isWaiting: true });
  await nextTry();
  expect({ done, isWaiting: start.isWaiting }).toEqual({ done: ["a"], isWaiting: true });
  await nextTry();
  expect({ done, isWaiting: start.isWaiting }).toEqual({ done: ["a", "b", "c"], isWaiting: false });
  expect(logged.slice(1)).toEqual(["there is room again: the start went on"]);
  await start.do(work("d"));
  expect(done).toEqual(["a", "b", "c", "d"]);
});

it("a full disk is logged once, and the work is retried", async () => {
  const { start, done, work, nextTry, logged } = startWork();
  const broken = new StoreUnusableError("the disk failed");
  await start.do(work("a", full, broken, broken));
  for (let tries = 0; tries < 3; tries += 1) await nextTry();
  expect(done).toEqual(["a"]);
  expect(logged.slice(1)).toEqual([
    "the start cannot go on; this is tried again: the disk failed",
    "there is room again: the start went on",
  ]);
});

it("no work is done after a stop", async () => {
  const { start, clock, done, work, nextTry } = startWork();
  await start.do(work("a", full));
  await start.stop();
  await nextTry();
  expect({ done, armed: clock.armed }).toEqual({ done: [], armed: 0 });
});

it("a job of an earlier worker loses no attempt, however long there was no room", async () => {
  const { store, fill } = storeThatFills();
  const handler = { id: "hello", path: "/handlers/hello.ts" };
  const job = handedOver(waitingJob(1, { endpointId: handler.id }));
  await (await quietSteps(store)).commit((step) => step.insertJob(job));
  const { clock, log, nextTry } = startWork();
  fill(true);
  const engine = await openEngine({
    store,
    clock,
    random: createSystemRandom(),
    log,
    webhookSender: new ScriptedSender(),
    launchers: [],
  });
  const served = { template: localTemplate(handler), endpoint: localEndpoint(handler, "then") };
  await engine.startWork.do(() => engine.serve([served]));
  await engine.startWork.do(async () => engine.start());
  engine.context.dueTimer.aim(clock.now());
  for (let tries = 0; tries < 100; tries += 1) await nextTry();
  const stored = () => store.job(job.id);
  expect(await stored()).toEqual(job);
  expect(engine.context.directory.endpointIds()).toEqual(new Set());
  fill(false);
  for (let tries = 0; tries < 3; tries += 1) await nextTry();
  expect(await stored()).toMatchObject({ status: "IN_QUEUE", attempt: job.attempt });
  expect(engine.context.directory.endpointIds()).toEqual(new Set(["hello"]));
  await engine.stop("kill");
});

it("a given key is valid at once and stored when there is room, but a new key is refused", async () => {
  const { store, fill } = storeThatFills();
  const { start, nextTry } = startWork();
  const steps = await quietSteps(store);
  const settling = { steps, random: createSystemRandom(), startWork: start };
  fill(true);
  const none = { user: undefined, admin: undefined };
  await expect(settleKeys(settling, none, "now")).rejects.toBeInstanceOf(StoreFullError);
  const { records } = await settleKeys(settling, { ...none, user: "given" }, "now");
  fill(false);
  await nextTry();
  expect((await settleKeys(settling, none, "later")).records).toEqual(records);
});
