/**
 * Thousands of random histories of workers that take and return GPUs: no device has two of them, none waits for a
 * free device, and none is passed forever.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { sized } from "../../../../setup/size.ts";
import {
  anyAskers,
  anyDevices,
  anySteps,
  busySteps,
  device,
  sharedSteps,
  type Step,
} from "./gpu-steps.ts";
import { GpuWorld } from "./gpu-world.ts";

const RUNS = { numRuns: sized(700, 10_000) };
const ONE = { gpuTypeIds: [], gpuCount: 1, mustBeKnown: false };

it("the pool never gives one of two GPUs to two workers", async () => {
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
});

it("no GPU is given twice, and no worker waits for a free one, whatever is present and requested", async () => {
  await fc.assert(
    fc.asyncProperty(anyDevices, anyAskers, anySteps, async (devices, askers, steps) => {
      await new GpuWorld(devices, askers).play(steps);
    }),
    RUNS,
  );
});

it("a worker that needs more than is free is passed at most four times, and no device is kept forever", async () => {
  let kept = 0;
  const wide = { ...ONE, gpuCount: 2 };
  const takeAll = Array.from({ length: 8 }, (): Step => ({ do: "take", asker: 0 }));
  const begin: readonly Step[] = [
    { do: "take", asker: 0 },
    { do: "answer", with: "known" },
    ...takeAll,
    { do: "take", asker: 1 },
  ];
  await fc.assert(
    fc.asyncProperty(anyDevices, anyAskers, busySteps, async (devices, askers, steps) => {
      const world = new GpuWorld(devices, [ONE, wide, ...askers.slice(0, 2)]);
      await world.play([...begin, ...steps]);
      world.finish();
      kept += world.kept;
    }),
    RUNS,
  );
  expect(kept).toBeGreaterThan(RUNS.numRuns / 10);
});

it("each GPU is locked while a worker has it, and another emulator's GPUs are not given", async () => {
  await fc.assert(
    fc.asyncProperty(anyDevices, anyAskers, sharedSteps, async (devices, askers, steps) => {
      const world = new GpuWorld(devices, askers);
      await world.play([{ do: "take", asker: 0 }, { do: "answer", with: "known" }, ...steps]);
      world.finish();
    }),
    RUNS,
  );
});

it("each worker gets its own simulated GPUs", async () => {
  await fc.assert(
    fc.asyncProperty(anyAskers, anySteps, async (askers, steps) => {
      const world = new GpuWorld([], askers);
      await world.play([{ do: "take", asker: 0 }, { do: "answer", with: "simulated" }, ...steps]);
    }),
  );
});
