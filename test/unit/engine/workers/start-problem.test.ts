/** The reason why the workers of an endpoint do not start, from the first failure until a worker is ready. */
import { expect, it } from "vitest";
import { health } from "../../../../emulator/engine/resources/endpoints/health.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { startTestHttp } from "../../http/http-harness.ts";
import { ScriptedLauncher } from "../scripted-launcher.ts";
import { FleetScene } from "./fleet-scene.ts";

const problemOf = async (scene: FleetScene) => (await health(scene.test.engine, "echo")).problem;

it("is the failure of a start, until a worker is ready", async () => {
  await using scene = await FleetScene.set({ workersMin: 1 });
  expect(await problemOf(scene)).toBeUndefined();
  await scene.exit(0, { startError: "the image a/b:1 is not on this machine" });
  const problem = "a worker could not be started: the image a/b:1 is not on this machine";
  expect(await problemOf(scene)).toBe(problem);
  await scene.test.clock.advance(1_000);
  expect(await problemOf(scene)).toBe(problem);
  await scene.connect(1);
  expect(await problemOf(scene)).toBeUndefined();
});

it("is the failure of a worker that was ready, and is dropped with the version", async () => {
  await using scene = await FleetScene.set({ workersMin: 1 });
  await scene.connect(0);
  await scene.exit(0, { exitCode: 1, limit: "/dev/shm holds 1 GB" });
  expect(await problemOf(scene)).toBe("a worker ended with code 1; /dev/shm holds 1 GB");
  await scene.change({ version: 2 });
  expect(await problemOf(scene)).toBeUndefined();
});

it("says that a program which never called the service may be no worker", async () => {
  await using scene = await FleetScene.set({ workersMin: 1 });
  await scene.exit(0, { exitCode: 0 });
  expect(await problemOf(scene)).toMatch(
    /^a worker ended with code 0 and had never called .* no worker/u,
  );
});

it("says the same of a program that runs on in silence", async () => {
  await using scene = await FleetScene.set();
  scene.launcher.speaksLate = true;
  await scene.change({ workersMin: 1 });
  await scene.test.clock.advance(LIMITS.workerInitMs);
  await scene.exit(0, { signal: "SIGKILL" });
  expect(await problemOf(scene)).toMatch(
    /^a worker said nothing for 420000 ms and had never called/u,
  );
});

it("is the reason for which no launcher starts a worker", async () => {
  await using scene = await FleetScene.set();
  scene.launcher.refusal = "no Docker engine answers";
  await scene.change({ workersMin: 1 });
  expect(await problemOf(scene)).toMatch(
    /^no worker can be started: .*: no Docker engine answers$/u,
  );
});

it("is what the driver lacks, with its version and CUDA", async () => {
  const driver = { driverVersion: "550.54.15", cudaVersion: "12.4" };
  const devices = [{ id: "GPU-1", typeId: "NVIDIA L4", isSimulated: false, ...driver }];
  await using scene = await FleetScene.set(
    { workersMin: 1, computeType: "GPU", gpuCount: 1, minCudaVersion: "12.8" },
    { kind: "known", devices },
  );
  expect(await problemOf(scene)).toContain(
    "needs 1 × any GPU with CUDA 12.8 or newer, driver 550.54.15 gives CUDA 12.4",
  );
});

it("is the obstacle that keeps a program from running", async () => {
  await using scene = await FleetScene.set();
  scene.launcher.obstacle = {
    reason: "its image cannot be pulled: ErrImagePull",
    isThrottled: false,
  };
  await scene.change({ workersMin: 1 });
  expect(await problemOf(scene)).toBe(
    "a worker does not run yet: its image cannot be pulled: ErrImagePull",
  );
});

it("is told by GET /health, and not below /live", async () => {
  const launcher = new ScriptedLauncher();
  launcher.refusal = "no Docker engine answers";
  await using service = await startTestHttp({ launcher });
  await service.test.addEndpoint("box", { workersMin: 1 });
  service.test.engine.endpointChanged("box");
  await service.test.clock.settle();
  const told = await service.call("GET", "/v2/box/health");
  expect(told.json).toMatchObject({ problem: expect.stringMatching(/no Docker engine answers$/u) });
  expect((await service.call("GET", "/live/v2/box/health")).json).not.toHaveProperty("problem");
  const overviews = await service.call("GET", "/emulator/endpoints");
  expect(JSON.stringify(overviews.json)).toContain("no worker can be started");
});
