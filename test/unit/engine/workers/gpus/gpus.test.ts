/** Workers of GPU endpoints: each has its own devices, and a worker without free ones waits for its turn. */
import { describe, expect, it } from "vitest";
import type { GpuInventory } from "../../../../../emulator/core/workers/gpu-allocation.ts";
import { FleetScene } from "../fleet-scene.ts";

const GPU = { computeType: "GPU", workersMin: 1, workersMax: 3 } as const;

function inventory(...typeIds: readonly string[]): GpuInventory {
  const devices = typeIds.map((typeId, id) => ({ id: String(id), typeId, isSimulated: true }));
  return { kind: "known", devices };
}

/** Ends the worker launched at `position` in good order. */
async function leave(scene: FleetScene, position: number): Promise<void> {
  const worker = await scene.connect(position);
  await worker.report({ draining: true });
  await scene.exit(position);
}

/** For each worker, in the order of the starts: its endpoint and its devices. */
function given({ launcher }: FleetScene): readonly string[] {
  return launcher.launched.map(
    ({ order }) => `${order.endpoint.id}: ${order.gpus.map(({ id }) => id).join(" ")}`,
  );
}

it("each worker gets gpuCount devices that no other has", async () => {
  await using scene = await FleetScene.set({}, inventory("L4", "L4", "L4", "L4", "L4"));
  await scene.change({ ...GPU, gpuCount: 2, workersMin: 2 });
  await scene.change({ ...GPU, gpuCount: 1 }, "other");
  expect(given(scene)).toEqual(["echo: 0 1", "echo: 2 3", "other: 4"]);
});

it("an endpoint without GPUs gets none", async () => {
  await using scene = await FleetScene.set({}, inventory("L4"));
  await scene.change({ workersMin: 2, computeType: "CPU" });
  expect(given(scene)).toEqual(["echo: ", "echo: "]);
});

it("a worker without a free device is throttled, logged once, and started when there is one", async () => {
  await using scene = await FleetScene.set({}, inventory("L4"));
  await scene.change({ ...GPU, workersMin: 3, gpuTypeIds: ["L4"] });
  const throttled = { initializing: 1, throttled: 2, idle: 0 };
  expect(await scene.counts()).toMatchObject(throttled);
  await scene.submit();
  await scene.test.clock.advance(5_000);
  expect(await scene.counts()).toMatchObject(throttled);
  expect(scene.logged("warn")).toEqual(["no worker can be started: 1 × L4: not enough are free"]);
  const worker = await scene.connect(0);
  await worker.complete(await worker.nextJob(), "done");
  await worker.report({ draining: true });
  await scene.settle();
  // It may still hold memory on the device.
  expect(given(scene)).toHaveLength(1);
  await scene.exit(0);
  expect(given(scene)).toEqual(["echo: 0", "echo: 0"]);
  expect(await scene.counts()).toMatchObject(throttled);
});

it("a waiting worker arms no timer", async () => {
  await using scene = await FleetScene.set({}, inventory());
  const { armed } = scene.test.clock;
  await scene.change(GPU);
  expect(await scene.counts()).toMatchObject({ throttled: 1 });
  expect(scene.test.clock.armed).toBe(armed);
  expect(scene.logged("warn")).toEqual([
    "no worker can be started: 1 × any GPU: this machine has no GPU; --gpus simulate runs workers without a GPU",
  ]);
});

it("an endpoint that needs no more worker is no longer throttled", async () => {
  await using scene = await FleetScene.set({}, inventory());
  await scene.change(GPU);
  await scene.change({ workersMin: 0 });
  expect(await scene.counts()).toMatchObject({ throttled: 0 });
});

it("a device that becomes free goes to the endpoint that has waited longest", async () => {
  await using scene = await FleetScene.set({}, inventory("L4"));
  await scene.change({ ...GPU, workersMin: 2 });
  await scene.change(GPU, "second");
  await scene.change(GPU, "third");
  const starts = ["echo: 0"];
  // The first endpoint waits for its second worker, and then queues again behind the others.
  for (const next of ["echo", "second", "third", "echo", "second"]) {
    await leave(scene, starts.length - 1);
    starts.push(`${next}: 0`);
    expect(given(scene)).toEqual(starts);
  }
});

it("no device is kept for an endpoint that waits after a failure", async () => {
  await using scene = await FleetScene.set({}, inventory("L4"));
  await scene.change({ ...GPU, workersMin: 2 });
  await scene.change(GPU, "second");
  await scene.exit(0, { exitCode: 1 });
  expect(given(scene)).toEqual(["echo: 0", "second: 0"]);
  await scene.test.clock.advance(1_000);
  expect(await scene.counts()).toMatchObject({ throttled: 2 });
  await leave(scene, 1);
  expect(given(scene)).toEqual(["echo: 0", "second: 0", "echo: 0"]);
});

it("devices that become free together are shared: one for each endpoint before a second one", async () => {
  await using scene = await FleetScene.set({}, inventory("L4", "L4", "L4", "L4"));
  await scene.change({ ...GPU, gpuCount: 4 }, "large");
  await scene.change({ ...GPU, workersMin: 3 });
  await scene.change(GPU, "other");
  expect(given(scene)).toEqual(["large: 0 1 2 3"]);
  await scene.change({ workersMin: 0, workersMax: 0 }, "large");
  await scene.exit(0);
  expect(given(scene).slice(1).toSorted()).toEqual(["echo: 0", "echo: 2", "echo: 3", "other: 1"]);
});

it("no worker waits behind workers that need more than is free", async () => {
  await using scene = await FleetScene.set({}, inventory("L4", "L4"));
  await scene.change({ ...GPU, gpuCount: 1 });
  await scene.change({ ...GPU, gpuCount: 2 }, "large");
  await scene.change({ ...GPU, gpuCount: 1 }, "small");
  expect(given(scene)).toEqual(["echo: 0", "small: 1"]);
});

it("devices that become free are kept for a worker that four smaller ones have passed", async () => {
  await using scene = await FleetScene.set({}, inventory("L4", "L4"));
  await scene.change(GPU, "one");
  await scene.change(GPU, "two");
  await scene.change({ ...GPU, gpuCount: 2 }, "large");
  for (let passes = 0; passes < 4; passes += 1) await leave(scene, passes);
  const passed = ["one: 0", "two: 1", "one: 0", "two: 1", "one: 0", "two: 1"];
  expect(given(scene)).toEqual(passed);
  await leave(scene, 4);
  expect(given(scene)).toEqual(passed);
  expect(scene.logged("warn")).toContain(
    "no worker can be started: 1 × any GPU: the free ones are reserved for large, which has waited longer and needs more",
  );
  await leave(scene, 5);
  expect(given(scene).slice(6)).toEqual(["large: 0 1"]);
});

it("devices are kept for ten minutes only, so that no device is idle forever", async () => {
  await using scene = await FleetScene.set({}, inventory("L4", "L4"));
  // A worker without a running program is not judged by its silence.
  scene.launcher.preparing = new Promise(() => undefined);
  await scene.change(GPU, "stays");
  await scene.change(GPU, "narrow");
  await scene.change({ ...GPU, gpuCount: 2 }, "large");
  for (let worker = 1; worker <= 5; worker += 1) await leave(scene, worker);
  expect(given(scene)).toHaveLength(6);
  await scene.test.clock.advance(599_999);
  expect(given(scene)).toHaveLength(6);
  await scene.test.clock.advance(1);
  expect(given(scene).slice(6)).toEqual(["narrow: 1"]);
  expect(scene.logged("warn")).toContain(
    "GPUs were reserved for large for 10 minutes, and some are still missing: others may have them again",
  );
});

it("the next endpoint gets a device when the first one needs no more worker", async () => {
  await using scene = await FleetScene.set({}, inventory("L4"));
  await scene.change(GPU);
  await scene.change(GPU, "changes its mind");
  await scene.change(GPU, "waits");
  await scene.change({ workersMin: 0 }, "changes its mind");
  await scene.change({ workersMin: 0, workersMax: 0 });
  await scene.exit(0);
  expect(given(scene)).toEqual(["echo: 0", "waits: 0"]);
});

it("the devices of a killed worker are given away only after its end", async () => {
  await using scene = await FleetScene.set({}, inventory("L4"));
  await scene.change(GPU);
  await scene.change(GPU, "waits");
  await scene.connect(0);
  const script = scene.launcher.at(0);
  const kill = script.kill.bind(script);
  script.kill = () => undefined;
  await scene.test.clock.advance(60_000);
  expect(given(scene)).toEqual(["echo: 0"]);
  kill();
  await scene.settle();
  expect(given(scene)).toEqual(["echo: 0", "waits: 0"]);
});

describe("a device of a worker that failed to start", () => {
  const real = (...ids: readonly string[]): GpuInventory => ({
    kind: "known",
    devices: ids.map((id) => ({ id, typeId: "L4", isSimulated: false })),
  });

  it("comes after the others of its type for ten minutes, and is never left out", async () => {
    await using scene = await FleetScene.set({}, real("a", "b"));
    await scene.change(GPU);
    await scene.exit(0, { exitCode: 1 });
    await scene.test.clock.advance(1_000);
    await scene.change(GPU, "other");
    expect(given(scene)).toEqual(["echo: a", "echo: b", "other: a"]);
    await scene.change({ workersMin: 0, workersMax: 0 });
    await scene.change({ workersMin: 0, workersMax: 0 }, "other");
    await scene.exit(1);
    await scene.exit(2);
    await scene.test.clock.advance(599_000);
    await scene.change(GPU, "later");
    expect(given(scene).at(-1)).toBe("later: a");
  });

  it("comes after GPUs with an earlier failure", async () => {
    await using scene = await FleetScene.set({}, real("a", "b"));
    await scene.change(GPU);
    for (const position of [0, 1, 2]) {
      await scene.exit(position, { startError: "the engine's hook failed" });
      await scene.test.clock.advance(4_000);
    }
    expect(given(scene)).toEqual(["echo: a", "echo: b", "echo: a", "echo: b"]);
  });

  it("is not blamed if the worker ended after it was ready, was asked to leave, or lost its engine", async () => {
    await using scene = await FleetScene.set({}, real("a", "b"));
    await scene.change(GPU);
    await scene.connect(0);
    await scene.exit(0, { exitCode: 1 });
    await scene.test.clock.advance(1_000);
    await scene.exit(1, { goneWith: "the Docker engine" });
    await scene.test.clock.advance(2_000);
    await scene.change({ workersMin: 0, workersMax: 0 });
    await scene.exit(2);
    await scene.change({ ...GPU });
    expect(given(scene)).toEqual(["echo: a", "echo: a", "echo: a", "echo: a"]);
  });
});

it("workers of GPU endpoints are started even if no GPU is known, and this is logged once", async () => {
  await using scene = await FleetScene.set({}, { kind: "unknown", reason: "no driver" });
  await scene.change({ ...GPU, workersMin: 2 });
  await scene.change(GPU, "other");
  expect(given(scene).toSorted()).toEqual(["echo: ", "echo: ", "other: "]);
  expect(scene.logged("warn")).toEqual([
    "no GPU is known (no driver): workers of GPU endpoints run without one, unless they are containers; --gpus declares some, or none",
  ]);
  expect(await scene.counts()).toMatchObject({ throttled: 0 });
});

it("no container that needs a GPU is started if none is known, and the log says what to do", async () => {
  await using scene = await FleetScene.set({}, { kind: "unknown", reason: "no driver" });
  scene.launcher.needsKnownGpus = true;
  await scene.change(GPU, "wants");
  await scene.submit("wants");
  expect(given(scene)).toEqual([]);
  expect(scene.logged("warn")).toContainEqual(
    expect.stringMatching(/none is known here \(no driver\); to run it without one, use/u),
  );
  expect(await scene.counts("wants")).toMatchObject({ throttled: 1 });
});

it("the search for GPUs that a container needs is repeated until they are known", async () => {
  const answers: GpuInventory[] = [
    { kind: "unknown", reason: "no answer within 5000 ms" },
    { kind: "unknown", reason: "no answer within 5000 ms" },
    inventory("L4"),
  ];
  let asked = 0;
  await using scene = await FleetScene.set({}, () => {
    asked += 1;
    return answers.shift() ?? inventory();
  });
  scene.launcher.needsKnownGpus = true;
  await scene.change(GPU, "wants");
  for (let job = 0; job < 5; job += 1) await scene.submit("wants");
  expect(asked).toBe(1);
  await scene.test.clock.advance(60_000);
  expect([asked, given(scene)]).toEqual([2, []]);
  await scene.test.clock.advance(60_000);
  expect([asked, given(scene)]).toEqual([3, ["wants: 0"]]);
  await scene.test.clock.advance(120_000);
  expect(asked).toBe(3);
  const told = scene.logged("warn").filter((line) => line.includes("no GPU is known"));
  expect(told).toHaveLength(1);
  expect(scene.logged("info")).toContain("GPUs for workers: 1 × L4");
});

it("there are unlimited simulated GPUs, each for one worker", async () => {
  await using scene = await FleetScene.set({}, { kind: "simulated" });
  await scene.change({ ...GPU, workersMin: 2, gpuCount: 2, gpuTypeIds: ["H200"] });
  await scene.change({ ...GPU, gpuCount: 8, allowedCudaVersions: ["12.8"] }, "other");
  expect(given(scene)).toEqual(["echo: 0 1", "echo: 2 3", "other: 4 5 6 7 8 9 10 11"]);
  await leave(scene, 0);
  expect(given(scene).at(-1)).toBe("echo: 0 1");
  expect(await scene.counts()).toMatchObject({ throttled: 0 });
});

it("workers that need a CUDA version that the driver lacks are throttled", async () => {
  const devices = [{ id: "GPU-a", typeId: "L4", isSimulated: false, cudaVersion: "12.4" }];
  await using scene = await FleetScene.set({}, { kind: "known", devices });
  await scene.change({ ...GPU, minCudaVersion: "12.8" });
  expect(await scene.counts()).toMatchObject({ throttled: 1 });
  expect(scene.logged("warn")).toEqual([
    expect.stringMatching(/12\.8 or newer, the driver gives CUDA 12\.4: update/u),
  ]);
  await scene.change({ minCudaVersion: "12.4" });
  expect(given(scene)).toEqual(["echo: GPU-a"]);
});
