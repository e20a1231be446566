/** Pods that a launcher runs: container settings, volumes, GPUs and bills. */
import { describe, expect, it } from "vitest";
import type { GpuInventory } from "../../../../emulator/core/workers/gpu-allocation.ts";
import { readPodInput } from "../../../../emulator/core/pods/pod-input.ts";
import {
  actOn,
  createPod,
  deletePod,
  readPod,
  updatePod,
} from "../../../../emulator/engine/pods/manage-pods.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import { createTestEngine, type HarnessOptions } from "../../engine-harness.ts";
import { ScriptedPods } from "./scripted-pods.ts";

const CPU = { imageName: "me/box:1", computeType: "CPU" };
const GPUS = {
  kind: "known",
  devices: [{ id: "GPU-1", typeId: "NVIDIA L4", isSimulated: false }],
} as const;

async function scene(options: HarnessOptions = {}, store = createMemoryStore()) {
  const launcher = new ScriptedPods();
  const test = await createTestEngine(store, undefined, { podLauncher: launcher, ...options });
  const { engine } = test;
  const settle = () => test.clock.advance(0);
  return {
    ...test,
    launcher,
    settle,
    create: async (body: object) => {
      const { id } = await createPod(engine, readPodInput(body));
      await settle();
      return id;
    },
    read: (id: string) => readPod(engine, id),
    stop: async () => test.stop(),
    act: async (id: string, action: Parameters<typeof actOn>[2]) => {
      await test.clock.advance(1_000);
      await actOn(engine, id, action);
      await settle();
    },
    bills: async () =>
      (await engine.usage.usages()).map(({ startedAt, endedAt }) => [startedAt, endedAt]),
  };
}

describe("a pod", () => {
  it("runs from its creation to its stop, and is billed while its program runs", async () => {
    const { launcher, engine, clock, create, act, bills, settle, stop } = await scene();
    const id = await create(CPU);
    const run = launcher.at(0);
    expect(run.order).toMatchObject({ pod: { id, imageName: "me/box:1" }, gpus: [] });
    await clock.advance(5_000);
    const startedAt = clock.now();
    run.runs({ "8888": 4_001 });
    await settle();
    expect(engine.podRuns.get(id)?.ports).toEqual({ "8888": 4_001 });
    await act(id, "stop");
    expect([run.wasDrained, run.wasKilled]).toEqual([true, false]);
    run.exit();
    await settle();
    expect(engine.podRuns.size).toBe(0);
    expect(await bills()).toEqual([[startedAt, clock.now()]]);
    expect(launcher.launched).toHaveLength(1);
    expect(launcher.dropped).toEqual([]);
    await stop();
  });

  it("is killed if it does not stop within 10 s", async () => {
    const { launcher, clock, create, act, stop } = await scene();
    const id = await create(CPU);
    await act(id, "stop");
    await clock.advance(10_000);
    expect(launcher.at(0).wasKilled).toBe(true);
    await stop();
  });

  it.each(["restart", "reset"] as const)(
    "starts again after a %s, once its container has ended",
    async (action) => {
      const { launcher, create, act, settle, read, stop } = await scene();
      const id = await create(CPU);
      await act(id, action);
      expect(launcher.launched).toHaveLength(1);
      launcher.at(0).exit({ exitCode: 143 });
      await settle();
      expect(launcher.at(1).order.runId).not.toBe(launcher.at(0).order.runId);
      expect(read(id).desiredStatus).toBe("RUNNING");
      await stop();
    },
  );

  it("starts again when its image changes, but not when its name changes", async () => {
    const { launcher, engine, clock, create, settle, stop } = await scene();
    const id = await create(CPU);
    await updatePod(engine, id, { name: "box" });
    await settle();
    expect(launcher.at(0).wasDrained).toBe(false);
    await clock.advance(1_000);
    await updatePod(engine, id, { imageName: "me/box:2" });
    await settle();
    launcher.at(0).exit();
    await settle();
    expect(launcher.at(1).order.pod.imageName).toBe("me/box:2");
    await stop();
  });

  it("is killed when it is deleted, and its volume is removed", async () => {
    const { launcher, engine, create, settle, stop } = await scene();
    const id = await create(CPU);
    await deletePod(engine, id);
    await settle();
    expect(launcher.at(0).wasKilled).toBe(true);
    await settle();
    expect(launcher.dropped).toEqual([id]);
    await stop();
  });

  it.each([
    [{ exitCode: 3 }, "ended with code 3 at "],
    [{ signal: "SIGKILL", outOfMemory: true }, "ran out of memory at "],
    [{ startError: "there is no such image" }, "could not be started: there is no such image at "],
  ])("shows how its container ended (%j)", async (how, words) => {
    const { launcher, create, settle, read, act, stop } = await scene();
    const id = await create(CPU);
    launcher.at(0).exit(how);
    await settle();
    const pod = read(id);
    expect(pod.desiredStatus).toBe("EXITED");
    expect(pod.lastStatusChange).toContain(words);
    expect(launcher.launched).toHaveLength(1);
    await act(id, "start");
    expect(launcher.launched).toHaveLength(2);
    await stop();
  });

  it("stays RUNNING if the Docker engine goes away, and starts again when the engine is back", async () => {
    const { launcher, pods, create, settle, read, stop } = await scene();
    const id = await create(CPU);
    launcher.refusal = "no engine answers";
    launcher.at(0).exit({ startError: "no engine answers" });
    await settle();
    expect(read(id).desiredStatus).toBe("RUNNING");
    launcher.refusal = undefined;
    pods.considerAll();
    await settle();
    expect(launcher.launched).toHaveLength(2);
    await stop();
  });

  it("starts again at once if the Docker engine was away and is already back", async () => {
    const { launcher, create, settle, read, stop } = await scene();
    const id = await create(CPU);
    launcher.at(0).exit({ goneWith: "the Docker engine", engineWentAway: true });
    await settle();
    expect(read(id).desiredStatus).toBe("RUNNING");
    expect(launcher.launched).toHaveLength(2);
    await stop();
  });

  it("runs again after a restart of the service, unless it was stopped", async () => {
    const store = createMemoryStore();
    const first = await scene({}, store);
    const running = await first.create(CPU);
    const stopped = await first.create(CPU);
    await first.act(stopped, "stop");
    first.launcher.at(1).exit();
    await first.settle();
    await first.pods.stop("kill");
    const second = await scene({}, store);
    await second.settle();
    expect(second.launcher.launched.map(({ order }) => order.pod.id)).toEqual([running]);
    await second.stop();
  });
});

describe("pods without a usable launcher", () => {
  it("are only records, and the log says so once", async () => {
    const { launcher, create, read, logged, stop } = await scene();
    launcher.refusal = "containers are switched off (--docker off)";
    const ids = [await create(CPU), await create(CPU)];
    for (const id of ids) expect(read(id).desiredStatus).toBe("RUNNING");
    expect(launcher.launched).toEqual([]);
    expect(
      logged.filter(({ message }) => message.startsWith("pods are stored, but not run")),
    ).toHaveLength(1);
    await stop();
  });
});

describe("GPUs", () => {
  it("belong to one pod until it has ended; the next pod waits for them", async () => {
    const { launcher, create, act, settle, logged, stop } = await scene({
      findGpus: async () => GPUS,
    });
    const first = await create({ imageName: "me/box:1" });
    await settle();
    expect(launcher.at(0).order.gpus).toEqual(GPUS.devices);
    await create({ imageName: "me/box:1" });
    expect(launcher.launched).toHaveLength(1);
    await act(first, "stop");
    launcher.at(0).exit();
    await settle();
    expect(launcher.at(1).order.gpus).toEqual(GPUS.devices);
    expect(logged.filter(({ message }) => message.startsWith("pods are stored"))).toEqual([]);
    await stop();
  });

  it("are searched for again while a pod waits for lack of a known GPU", async () => {
    const answers: GpuInventory[] = [{ kind: "unknown", reason: "no answer within 5000 ms" }];
    const { launcher, create, clock, stop } = await scene({
      findGpus: async () => answers.shift() ?? GPUS,
    });
    await create({ imageName: "me/box:1" });
    expect(launcher.launched).toEqual([]);
    await clock.advance(60_000);
    expect(launcher.at(0).order.gpus).toEqual(GPUS.devices);
    await stop();
  });
});
