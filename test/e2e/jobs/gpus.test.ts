/** Declared GPUs with real workers: each worker has its own GPUs, and a worker without a free one waits. */
import { expect, test } from "vitest";
import { eventually } from "./observe.ts";
import { scriptInNvidiaSmi, standInNvidiaSmi } from "../../setup/stand-in-nvidia-smi.ts";
import { Stage } from "./stage.ts";
import { testInFull } from "../../setup/size.ts";

interface Shown {
  readonly env: Readonly<Record<string, string>>;
}

const ONE_GPU = {
  handler: "shows-environment.ts",
  gpuTypeIds: ["NVIDIA L4"],
  workersMin: 1,
  workersMax: 1,
};

test("two workers never share a device, and a third waits until one of them has gone", async () => {
  const endpoints = {
    first: ONE_GPU,
    second: ONE_GPU,
    third: { ...ONE_GPU, workersMin: 0 },
    plain: { handler: "shows-environment.ts", workersMax: 1 },
  };
  await using stage = await Stage.set({
    endpoints,
    gpus: [{ type: "NVIDIA L4", count: 2, memoryGb: 24 }],
  });
  const envOf = async (id: string) => {
    const { output } = await stage.endpoint<Shown>(id).runSync({});
    return output?.env ?? {};
  };
  const [first, second] = [await envOf("first"), await envOf("second")];
  const given = new Set([first["SV_GPU_IDS"], second["SV_GPU_IDS"]]);
  expect(given).toEqual(new Set(["0", "1"]));
  expect([first["SV_GPU_TYPE"], second["SV_GPU_TYPE"]]).toEqual(["NVIDIA L4", "NVIDIA L4"]);
  expect(first["SV_GPU_MEMORY_GB"]).toBe("24");
  // Simulated GPUs hide no real ones.
  expect(first["CUDA_VISIBLE_DEVICES"]).toBe(process.env["CUDA_VISIBLE_DEVICES"]);
  expect((await envOf("plain"))["SV_GPU_IDS"]).toBeUndefined();

  const third = stage.endpoint<Shown>("third");
  const { id } = await third.run({});
  await eventually("the third endpoint is throttled", async () => {
    const { workers } = await third.health();
    return workers["throttled"] === 1 ? workers : undefined;
  });
  expect((await third.status(id)).status).toBe("IN_QUEUE");
  const reason = "no worker can be started: 1 × NVIDIA L4: not enough are free";
  const told = stage.emulator.stderrLines.filter((line) => line.includes(reason));
  expect(told).toHaveLength(1);

  await stage.remove("first");
  const { output } = await third.wait(id);
  expect(output?.env["SV_GPU_IDS"]).toBe(first["SV_GPU_IDS"]);
  expect((await third.health()).workers).toMatchObject({ throttled: 0 });
});

test("a worker sees only its own GPUs of the machine", async () => {
  await using nvidiaSmi = await standInNvidiaSmi("mig");
  const env = { PATH: `${nvidiaSmi.folder}:${process.env["PATH"]}`, CUDA_VISIBLE_DEVICES: "0,1" };
  const shows = { handler: "shows-environment.ts", workersMin: 1, workersMax: 1 };
  const a100 = "NVIDIA A100-SXM4-80GB";
  const endpoints = {
    slices: { ...shows, gpuTypeIds: [`${a100} MIG 3g.40gb`], gpuCount: 2 },
    whole: { ...shows, gpuTypeIds: [a100] },
    plain: { ...shows },
  };
  await using stage = await Stage.set({ endpoints, env });
  const visibleTo = async (id: string) => {
    const { output } = await stage.endpoint<Shown>(id).runSync({});
    return output?.env["CUDA_VISIBLE_DEVICES"];
  };
  expect(await visibleTo("slices")).toBe(
    "MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f,MIG-cba663e8-9bed-5b25-b243-5985ef7c9beb",
  );
  expect(await visibleTo("whole")).toBe("GPU-c0ffee11-6a1b-4f2d-9a0e-77d1e2f3a4b5");
  expect(await visibleTo("plain")).toBe("0,1");
});

testInFull(
  "two emulators of a machine never use one device at once, and a killed one holds none",
  async () => {
    const uuid = `GPU-${crypto.randomUUID()}`;
    await using nvidiaSmi = await scriptInNvidiaSmi(`case "$1" in
  --query-gpu=*) echo "0, ${uuid}, NVIDIA L4, 23034, 8.9, [N/A], 570.133.20" ;;
esac`);
    const env = { PATH: `${nvidiaSmi.folder}:${process.env["PATH"]}` };
    const wanted = { endpoints: { one: ONE_GPU }, env };
    await using first = await Stage.set(wanted);
    const isVisible = async (stage: Stage) => {
      const { output } = await stage.endpoint<Shown>("one").runSync({});
      return output?.env["CUDA_VISIBLE_DEVICES"];
    };
    expect(await isVisible(first)).toBe(uuid);
    await using second = await Stage.set(wanted);
    const isRefused = async ({ emulator }: Stage) => {
      const [said] = await emulator.stderrMatch(/worker started|no worker can be started: [^"]*/);
      expect(said).toBe(
        "no worker can be started: 1 × NVIDIA L4: another emulator of this machine uses the ones that no worker here has",
      );
    };
    await isRefused(second);
    expect((await second.endpoint("one").health()).workers).toMatchObject({ throttled: 1 });

    await first.kill();
    expect(await isVisible(second)).toBe(uuid);
    await first.start();
    await isRefused(first);
    await second.remove("one");
    expect(await isVisible(first)).toBe(uuid);
  },
);
