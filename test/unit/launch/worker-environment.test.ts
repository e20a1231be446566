/** The variables of a process for its GPUs and its initialization timeout. */
import { expect, it } from "vitest";
import type { GpuDevice } from "../../../emulator/core/workers/gpu-allocation.ts";
import { createProcessLauncher } from "../../../emulator/launch/processes/process-launcher.ts";
import { localEndpoint, localTemplate } from "../../../emulator/handlers/local-endpoint.ts";
import { temporaryTree } from "../../temporary-tree.ts";

const handler = { id: "hello", path: "/handlers/hello.ts" };
const uuid = (id: string): GpuDevice => ({ id, typeId: "NVIDIA H200", isSimulated: false });

/** The environment of a worker with these settings. */
async function environmentOf(
  gpus: readonly GpuDevice[],
  env: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, string>>> {
  await using tree = await temporaryTree({
    "worker.mjs": "console.log(JSON.stringify(process.env));",
  });
  const lines: string[] = [];
  const launcher = createProcessLauncher({
    program: tree.path("worker.mjs"),
    serverProgram: "",
    serviceAddress: () => "unix:/nowhere",
    handlerOf: () => handler.path,
    line: (_, line) => lines.push(line),
  });
  const worker = launcher.launch({
    workerId: "w",
    workerToken: "t",
    endpoint: localEndpoint(handler, "2026-01-01T00:00:00.000Z"),
    template: localTemplate({ ...handler, env }),
    gpus,
  });
  expect(await worker.exited).toMatchObject({ exitCode: 0 });
  return JSON.parse(lines[0] ?? "") as Record<string, string>;
}

it("a worker sees its own GPUs and no others, whatever its template sets", async () => {
  const env = await environmentOf([uuid("GPU-a"), uuid("GPU-b")], {
    CUDA_VISIBLE_DEVICES: "0,1,2,3",
    SV_GPU_IDS: "all",
  });
  expect(env).toMatchObject({
    CUDA_VISIBLE_DEVICES: "GPU-a,GPU-b",
    SV_GPU_IDS: "GPU-a,GPU-b",
    SV_GPU_TYPE: "NVIDIA H200",
  });
});

it("a worker has the memory of each of its GPUs, if known", async () => {
  const env = await environmentOf([{ ...uuid("GPU-a"), memoryGb: 140.4 }]);
  expect(env["SV_GPU_MEMORY_GB"]).toBe("140.4");
  expect(await environmentOf([uuid("GPU-a")])).not.toHaveProperty("SV_GPU_MEMORY_GB");
});

it("a worker sees the real GPUs if only some of its GPUs are real", async () => {
  const env = await environmentOf([uuid("GPU-a"), { ...uuid("1"), isSimulated: true }]);
  expect(env).toMatchObject({ CUDA_VISIBLE_DEVICES: "GPU-a", SV_GPU_IDS: "GPU-a,1" });
});

it("a simulated GPU hides no real one", async () => {
  const simulated = { id: "3", typeId: "NVIDIA L4", isSimulated: true };
  const env = await environmentOf([simulated]);
  expect(env).toMatchObject({ SV_GPU_IDS: "3", SV_GPU_TYPE: "NVIDIA L4" });
  expect(env["CUDA_VISIBLE_DEVICES"]).toBe(process.env["CUDA_VISIBLE_DEVICES"]);
});

it("a worker without a GPU has no GPU variables", async () => {
  const names = Object.keys(await environmentOf([]));
  expect(names.filter((name) => name.startsWith("SV_GPU"))).toEqual([]);
});

it("a worker has the initialization limit of its template, unless that sets the worker's own variable", async () => {
  const limit = async (env: Readonly<Record<string, string>>) =>
    (await environmentOf([], env))["SV_INIT_LIMIT_MS"];
  expect(await limit({ SV_INIT_TIMEOUT: "1800" })).toBe("1800000");
  expect(await limit({ SV_INIT_TIMEOUT: "1800", SV_INIT_LIMIT_MS: "5000" })).toBe("5000");
  expect(await limit({ SV_INIT_TIMEOUT: "soon" })).toBeUndefined();
});
