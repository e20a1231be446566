/** Jobs of workers that may have survived the process that started them. */
import { expect, it } from "vitest";
import { createSystemRandom } from "../../../../emulator/assembly/system-clock.ts";
import { digestOf } from "../../../../emulator/core/access/key-ring.ts";
import { openEngine, type RunningEngine } from "../../../../emulator/engine/engine.ts";
import { localEndpoint, localTemplate } from "../../../../emulator/handlers/local-endpoint.ts";
import type { FoundWorker, Launcher, WorkerExit } from "../../../../emulator/launch/launcher.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import type { Store } from "../../../../emulator/store/store.ts";
import { handedOver, waitingJob } from "../../../contract/store/subject.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { ScriptedSender } from "../../scripted-sender.ts";
import { quietSteps } from "../steps/quiet-steps.ts";

const endpointId = "hello";
const workerId = "pod-one";
const TOKEN = "its-token";

const FOUND: FoundWorker = {
  ...{ workerId, endpointId, endpointVersion: 1 },
  ...{ tokenDigest: digestOf(TOKEN), isLeaving: false },
};

/** The store of a killed service: an endpoint, and a job of a worker. */
async function storeWithItsJob(): Promise<Store> {
  const store = createMemoryStore();
  const handler = { id: endpointId, path: "/handlers/hello.ts" };
  const steps = await quietSteps(store);
  await steps.commit((step) => {
    step.putRecord("template", endpointId, localTemplate(handler));
    step.putRecord("endpoint", endpointId, localEndpoint(handler, "2026-01-01T00:00:00.000Z"));
    step.insertJob(handedOver(waitingJob(step.nextSeq(), { endpointId }), workerId));
  });
  await steps.close();
  return store;
}

/** A launcher that finds these workers. */
function launcherWith(found: FoundWorker[], problem?: string): Launcher {
  const exited = new Promise<WorkerExit>(() => undefined);
  const launched = { kind: "pod", exited, drain: () => undefined, kill: () => undefined } as const;
  return {
    outliving: { problem, found: () => found.splice(0), adopt: () => launched },
    refuses: () => "it starts none",
    launch: () => launched,
    close: async () => undefined,
  };
}

async function opened(launcher: Launcher) {
  const clock = new FakeClock();
  const engine = await openEngine({
    ...{ store: await storeWithItsJob(), clock, launchers: [launcher] },
    random: createSystemRandom(),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    webhookSender: new ScriptedSender(),
  });
  return { clock, engine };
}

const jobOf = ({ context }: RunningEngine) => context.steps.jobsInMemory(() => true)[0];

it("a found worker is adopted, with its token and its job", async () => {
  const { engine } = await opened(launcherWith([FOUND]));
  expect(engine.context.tokens.find(TOKEN)?.id).toBe(workerId);
  expect(engine.context.fleet.find(workerId)).toMatchObject({ endpointId, endpointVersion: 1 });
  expect(jobOf(engine)).toMatchObject({ status: "IN_PROGRESS", lease: { workerId } });
});

it("the job of a missing worker goes back to the queue at once", async () => {
  const { engine } = await opened(launcherWith([]));
  expect(jobOf(engine)?.status).toBe("IN_QUEUE");
  expect(engine.context.tokens.findFormer(TOKEN)).toBeUndefined();
});

it("while the existing workers are unknown, a job waits for a lease for its worker to return", async () => {
  const problem = "the Kubernetes API does not answer";
  const { engine, clock } = await opened(launcherWith([], problem));
  expect(jobOf(engine)?.status).toBe("IN_PROGRESS");
  expect(engine.context.tokens.findFormer(TOKEN)).toEqual({ problem });
  await clock.advance(engine.context.lease.leaseMs);
  expect(jobOf(engine)?.status).toBe("IN_QUEUE");
});

it("a worker of a deleted endpoint is not adopted", async () => {
  const { engine } = await opened(launcherWith([{ ...FOUND, endpointId: "gone" }]));
  expect(engine.context.fleet.all()).toEqual([]);
});
