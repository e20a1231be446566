/** Declared GPUs with real workers: each has its own, and whoever finds none free waits until one is. */
import { expect, test } from "vitest";
import { eventually } from "./observe.ts";
import { Stage } from "./stage.ts";

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
  await using stage = await Stage.set({ endpoints, gpus: "NVIDIA L4=2" });
  const envOf = async (id: string) => {
    const { output } = await stage.endpoint<Shown>(id).runSync({});
    return output?.env ?? {};
  };
  const [first, second] = [await envOf("first"), await envOf("second")];
  const given = new Set([first["SV_GPU_IDS"], second["SV_GPU_IDS"]]);
  expect(given).toEqual(new Set(["0", "1"]));
  expect([first["SV_GPU_TYPE"], second["SV_GPU_TYPE"]]).toEqual(["NVIDIA L4", "NVIDIA L4"]);
  // Simulated ones hide nothing of what the machine really has.
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
