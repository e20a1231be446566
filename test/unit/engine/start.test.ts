/** The engine before its start, on a store with jobs of an earlier run. */
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { openEngine } from "../../../emulator/engine/engine.ts";
import { quietSteps } from "./steps/quiet-steps.ts";
import type { Launcher, WorkerExit, WorkerOrder } from "../../../emulator/launch/launcher.ts";
import { localEndpoint, localTemplate } from "../../../emulator/handlers/local-endpoint.ts";
import { createMemoryStore } from "../../../emulator/store/memory/memory-store.ts";
import type { Store } from "../../../emulator/store/store.ts";
import { createSystemRandom } from "../../../emulator/assembly/system-clock.ts";
import { handedOver, waitingJob } from "../../contract/store/subject.ts";
import { ScriptedSender } from "../scripted-sender.ts";
import { FakeClock } from "../../fake-clock.ts";

const handler = { id: "hello", path: "/handlers/hello.ts" };

/** The store of a killed service: an endpoint, and a job of a worker. */
async function storeWithOrphan(): Promise<Store> {
  const store = createMemoryStore();
  const steps = await quietSteps(store);
  await steps.commit((step) => {
    step.putRecord("template", handler.id, localTemplate(handler));
    step.putRecord("endpoint", handler.id, localEndpoint(handler, "2026-01-01T00:00:00.000Z"));
    step.insertJob(handedOver(waitingJob(step.nextSeq(), { endpointId: handler.id })));
  });
  await steps.close();
  return store;
}

function recordingLauncher() {
  const orders: WorkerOrder[] = [];
  const exit: WorkerExit = {
    exitCode: 0,
    signal: undefined,
    outOfMemory: false,
    startError: undefined,
    lastLogLines: [],
  };
  const launcher: Launcher = {
    refuses: () => undefined,
    launch(order) {
      orders.push(order);
      const { promise: exited, resolve } = Promise.withResolvers<WorkerExit>();
      return { kind: "process", exited, drain: () => resolve(exit), kill: () => resolve(exit) };
    },
    close: async () => undefined,
  };
  return { launcher, orders };
}

it("the engine starts no worker before `start`, even if it returns jobs to the queue", async () => {
  const { launcher, orders } = recordingLauncher();
  const store = await storeWithOrphan();
  const engine = await openEngine({
    store,
    clock: new FakeClock(),
    random: createSystemRandom(),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    webhookSender: new ScriptedSender(),
    launchers: [launcher],
  });
  await turn();
  expect(await engine.context.steps.counts(handler.id)).toMatchObject({ inQueue: 1 });
  expect(orders).toEqual([]);
  await engine.start();
  await turn();
  expect(orders).toMatchObject([{ endpoint: { id: handler.id } }]);
  await engine.stop("kill");
  await store.close();
});
