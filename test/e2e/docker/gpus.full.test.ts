/** Containers with GPUs, on an engine with an NVIDIA hook that only records its input. */
import fs from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dockerIsMissing, startOwnDocker, type TestDocker } from "../../setup/docker.ts";
import { nvidiaHook, type NvidiaHook } from "../../setup/nvidia-hook.ts";
import { standInNvidiaSmi } from "../../setup/stand-in-nvidia-smi.ts";
import { eventually } from "../jobs/observe.ts";
import { buildWorkerImages, ContainerStage } from "./container-stage.ts";

interface Look {
  readonly env: Readonly<Record<string, string>>;
}

const FIRST = "GPU-7a3f52c1-0d1e-4b96-8e3f-5c1d2b9a6e04";
const SECOND = "GPU-e91b04d7-2c6f-4a58-b3d1-7f0c8a5e2b96";
const GPU = { computeType: "GPU", gpuTypeIds: ["NVIDIA L4"] };

describe.skipIf(dockerIsMissing !== undefined)("containers with GPUs", () => {
  let hook: NvidiaHook;
  let docker: TestDocker;
  let image: { readonly imageName: string };

  beforeAll(async () => {
    hook = nvidiaHook();
    docker = await startOwnDocker({ pathBegin: hook.folder });
    image = { imageName: (await buildWorkerImages(docker)).worker };
  });
  afterAll(async () => {
    await docker[Symbol.asyncDispose]();
    hook[Symbol.dispose]();
  });

  /** An emulator on a machine with a recorded nvidia-smi. */
  async function emulatorOn(machine: string, ...args: readonly string[]) {
    const nvidiaSmi = await standInNvidiaSmi(machine);
    const env = { PATH: `${nvidiaSmi.folder}:${process.env["PATH"]}` };
    const stage = await ContainerStage.set(docker, { args, env });
    return {
      stage,
      async [Symbol.asyncDispose]() {
        await stage[Symbol.asyncDispose]();
        await nvidiaSmi[Symbol.asyncDispose]();
      },
    };
  }

  test("see their own GPUs alone, and a worker without a free one is throttled until there is one", async () => {
    await using machine = await emulatorOn("two-gpus");
    const { stage } = machine;
    const fields = { name: "v", size: 1, dataCenterId: "EU-RO-1" };
    const { id: volume } = await stage.call("POST", "/networkvolumes", fields);
    const limits = { workersMin: 3, workersMax: 3, networkVolumeId: volume };
    const single = await stage.serve(image, { ...GPU, ...limits });
    const busy = stage.endpoint<Look>(single);
    const look = { do: "look", until: "go" };
    const jobs = [await busy.run(look), await busy.run(look), await busy.run(look)];
    await eventually("two workers run and the third is throttled", async () => {
      const { workers, jobs: counts } = await busy.health();
      const { running, throttled } = workers;
      return running === 2 && throttled === 1 && counts.inQueue === 1 ? true : undefined;
    });
    const pair = await stage.serve(image, { ...GPU, gpuCount: 2, workersMin: 1 });
    await stage.emulator.stderrMatch(/2 × NVIDIA L4: not enough are free/u);
    expect((await stage.endpoint(pair).health()).workers).toMatchObject({ throttled: 1 });

    fs.writeFileSync(stage.data("volumes", String(volume), "go"), "");
    const outputs = await Promise.all(jobs.map(async ({ id }) => (await busy.wait(id)).output));
    const given = outputs.map((output) => output?.env ?? {});
    const visible = given.map((env) => env["NVIDIA_VISIBLE_DEVICES"]);
    expect(new Set(visible)).toEqual(new Set([FIRST, SECOND]));
    for (const env of given) {
      expect(env["SV_GPU_IDS"]).toBe(env["NVIDIA_VISIBLE_DEVICES"]);
      expect(env).toMatchObject({ SV_GPU_TYPE: "NVIDIA L4", SV_GPU_MEMORY_GB: "22.5" });
    }
    expect(hook.calls().toSorted()).toEqual([FIRST, SECOND]);

    await stage.call("DELETE", `/endpoints/${single}`);
    const { output } = await stage.endpoint<Look>(pair).runSync({ do: "look" });
    expect(output?.env["NVIDIA_VISIBLE_DEVICES"]).toBe(`${FIRST},${SECOND}`);
    expect(hook.calls().at(-1)).toBe(`${FIRST},${SECOND}`);
  });

  test("need a driver with the CUDA version of their endpoint", async () => {
    await using machine = await emulatorOn("two-gpus");
    const { stage } = machine;
    const id = await stage.serve(image, { ...GPU, workersMin: 1, minCudaVersion: "13.0" });
    await stage.emulator.stderrMatch(/with CUDA 13\.0 or newer, driver .* gives CUDA 12\.8: /u);
    expect(await stage.containers(id)).toEqual([]);
    await stage.call("PATCH", `/endpoints/${id}`, { minCudaVersion: "12.4" });
    const { output } = await stage.endpoint<Look>(id).runSync({ do: "look" });
    expect([FIRST, SECOND]).toContain(output?.env["NVIDIA_VISIBLE_DEVICES"]);
  });

  test("do not start on a machine without a known GPU, and the log says why and what to do", async () => {
    await using machine = await emulatorOn("driver-mismatch");
    const { stage } = machine;
    const id = await stage.serve(image, { ...GPU, workersMin: 1 });
    const [line] = await stage.emulator.stderrMatch(/no worker can be started: .*/u);
    expect(line).toMatch(/version mismatch.*restart this machine.*--gpus simulate/u);
    expect((await stage.endpoint(id).health()).workers).toMatchObject({ throttled: 1 });
    expect(await stage.containers(id)).toEqual([]);
  });

  test("start without real GPUs when GPUs are simulated, and the log warns of it", async () => {
    await using machine = await emulatorOn("no-device", "--gpus", "simulate");
    const { stage } = machine;
    const id = await stage.serve(image, { ...GPU, gpuCount: 2 });
    const { output } = await stage.endpoint<Look>(id).runSync({ do: "look" });
    expect(output?.env).toMatchObject({ NVIDIA_VISIBLE_DEVICES: "void", SV_GPU_IDS: "0,1" });
    await stage.emulator.stderrMatch(/2 × NVIDIA L4 are simulated: the container starts without/u);
  });
});
