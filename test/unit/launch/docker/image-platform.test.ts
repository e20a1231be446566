/** Images for another platform than the engine's. */
import { expect, it } from "vitest";
import { EngineError } from "../../../../emulator/launch/docker/container-engine.ts";
import { pullProblem, startProblem } from "../../../../emulator/launch/docker/docker-errors.ts";
import { exitOf, stateOf } from "../../../../emulator/launch/kubernetes/pod-state.ts";
import { nodePlace } from "../../../../emulator/launch/kubernetes/gpu-nodes.ts";
import { localEndpoint } from "../../../../emulator/handlers/local-endpoint.ts";
import { open } from "./open-scripted.ts";
import { containerOrder } from "./order.ts";
import { ScriptedEngine } from "./scripted-engine.ts";

const AMD64 = { SV_CONTAINER_PLATFORM: "linux/amd64" };
const MISMATCH = "the image some/image:1 wants linux/amd64, this engine is linux/arm64";
const NO_MATCH =
  "no matching manifest for linux/arm64/v8 in the manifest list entries: no match for platform in manifest: not found";

function amd64Engine(): ScriptedEngine {
  const engine = new ScriptedEngine();
  engine.imagePlatform = "linux/amd64";
  return engine;
}

it("the log says once that an image is for another platform, with the setting", async () => {
  const { launcher, made, said } = open(amd64Engine());
  launcher.launch(containerOrder());
  await made(1);
  launcher.launch(containerOrder());
  await made(2);
  const told = said.filter((line) => line.startsWith(`${MISMATCH}: SV_CONTAINER_PLATFORM`));
  expect(told).toHaveLength(1);
});

it("nothing is said of an image with the engine's platform, or of an engine that tells none", async () => {
  const silent = new ScriptedEngine();
  silent.platform = undefined;
  for (const engine of [new ScriptedEngine(), silent]) {
    const { launcher, made, said } = open(engine);
    launcher.launch(containerOrder());
    await made(1);
    expect(said.join()).not.toContain("wants linux");
  }
});

it("the platform of the template is pulled if the image is here for another one, and used for the container", async () => {
  const { engine, launcher, made, said } = open();
  launcher.launch(containerOrder({ env: AMD64 }));
  await made(1);
  expect(engine.pulled).toEqual(["some/image:1"]);
  expect(engine.at(0).options.platform).toBe("linux/amd64");
  expect(said.join()).not.toContain("wants linux");
  launcher.launch(containerOrder({ env: AMD64 }));
  await made(2);
  expect(engine.pulled).toHaveLength(1);
});

it("an image that cannot be pulled is told with the platform that was chosen", async () => {
  const engine = new ScriptedEngine();
  engine.messages = async function* refused() {
    yield { error: NO_MATCH };
  };
  const { startError } = await open(engine).launcher.launch(containerOrder({ env: AMD64 })).exited;
  expect(startError).toContain("some/image:1 for linux/amd64 is not on this machine");
});

it.each([
  "OCI runtime create failed: runc create failed: unable to start container process: exec /usr/bin/python: exec format error: unknown",
  'failed to create task for container: exec: "sv-worker": exec format error',
])(
  "a start that fails by the format of the program says which platforms differ: %s",
  async (said) => {
    const engine = amd64Engine();
    engine.startError = new EngineError(said, 400);
    const { startError = "" } = await open(engine).launcher.launch(containerOrder()).exited;
    expect(startError).toMatch(
      new RegExp(`^${MISMATCH}: .*exec format error; .*SV_CONTAINER_PLATFORM`, "u"),
    );
    expect(startError).not.toContain("dockerStartCmd");
  },
);

it.each([
  ["Exec format error", 1],
  // It tried the shell, which the image does not have.
  ["No such file or directory", 127],
])("the engine's init may be the one that says it: %s", async (said, exitCode) => {
  const { engine, launcher, made } = open(amd64Engine());
  const worker = launcher.launch(containerOrder());
  await made(1);
  await worker.running;
  engine.at(0).writes(`[FATAL tini (7)] exec sv-worker failed: ${said}\n`);
  engine.at(0).exits(exitCode);
  expect((await worker.exited).startError).toContain(
    `${MISMATCH}: the container's program cannot be run`,
  );
});

it("an image without the engine's platform names the setting, in containers and in pods", () => {
  const pull = pullProblem("a/b:1", new EngineError(NO_MATCH, 500), false);
  const waiting = { waiting: { reason: "ErrImagePull", message: NO_MATCH } };
  const metadata = { name: "p", uid: "u", resourceVersion: "1" };
  const state = stateOf({
    metadata,
    status: { phase: "Pending", containerStatuses: [{ name: "worker", state: waiting }] },
  });
  const reason = state.kind === "waiting" ? state.obstacle?.reason : "";
  for (const told of [pull, reason]) expect(told).toContain("SV_CONTAINER_PLATFORM in the env");
  expect(pull).not.toContain("its tag");
});

it("a pod with a platform runs on nodes that have it", () => {
  const endpoint = localEndpoint({ id: "e" }, "2026-01-01T00:00:00.000Z");
  const arm = { "kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64" };
  expect(nodePlace(endpoint, {}, "linux/arm64/v8").nodeSelector).toEqual(arm);
  expect(nodePlace(endpoint, { SV_CONTAINER_NODES: "zone=a" }, "linux/arm64").nodeSelector).toEqual(
    {
      ...arm,
      zone: "a",
    },
  );
  expect(nodePlace(endpoint, {}).nodeSelector).toBeUndefined();
});

const CUDA =
  "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver to a newer version, or use an earlier cuda container: unknown";

it("a driver that is too old for the image is told with both versions, and in pods without its own", async () => {
  const engine = new ScriptedEngine();
  engine.startError = new EngineError(`OCI runtime create failed: ${CUDA}`, 500);
  const gpu = { id: "GPU-1", typeId: "NVIDIA L4", isSimulated: false };
  const gpus = [{ ...gpu, driverVersion: "550.54.15", cudaVersion: "12.4" }];
  const { startError } = await open(engine).launcher.launch({ ...containerOrder(), gpus }).exited;
  expect(startError).toBe(
    "the image needs CUDA 12.8, driver 550.54.15 gives CUDA 12.4: update the driver, or use an image with an older CUDA",
  );
  const terminated = { exitCode: 128, reason: "StartError", message: CUDA };
  const pod = {
    metadata: { name: "p", uid: "u", resourceVersion: "1" },
    status: { phase: "Failed", containerStatuses: [{ name: "worker", state: { terminated } }] },
  };
  expect(exitOf(pod, { hasRun: false, wasAsked: false }, []).startError).toMatch(
    /^the image needs CUDA 12\.8, the driver is older: update/u,
  );
  expect(startProblem(new EngineError("not today", 500))).toContain("refuses the container");
});
