/** Ten thousand random histories of workers that take and return GPUs: no device has two of them, and none waits for nothing. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { anyAskers, anyDevices, anySteps, device, GpuWorld } from "./gpu-world.ts";

const RUNS = { numRuns: 10_000 };
const ONE = { gpuTypeIds: [], gpuCount: 1, mustBeKnown: false };

it("never gives one of two GPUs to two workers", async () => {
  const two = [device("a", "X"), device("b", "X")];
  let mostAtOnce = 0;
  await fc.assert(
    fc.asyncProperty(anySteps, async (steps) => {
      const world = new GpuWorld(two, [ONE, { ...ONE, mustBeKnown: true }]);
      await world.play([{ do: "take", asker: 0 }, { do: "answer", with: "known" }, ...steps]);
      mostAtOnce = Math.max(mostAtOnce, world.mostAtOnce);
    }),
    RUNS,
  );
  expect(mostAtOnce).toBe(2);
}, 120_000);

it("never gives a GPU twice, whatever there is and is asked for, and lets nobody wait for what is free", async () => {
  await fc.assert(
    fc.asyncProperty(anyDevices, anyAskers, anySteps, async (devices, askers, steps) => {
      await new GpuWorld(devices, askers).play(steps);
    }),
    RUNS,
  );
}, 120_000);

it("gives each worker simulated GPUs of its own", async () => {
  await fc.assert(
    fc.asyncProperty(anyAskers, anySteps, async (askers, steps) => {
      const world = new GpuWorld([], askers);
      await world.play([{ do: "take", asker: 0 }, { do: "answer", with: "simulated" }, ...steps]);
    }),
  );
}, 120_000);
