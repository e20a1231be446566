/** The catalog's availability of GPUs on this machine. */
import { expect, it } from "vitest";
import {
  cudaVersionsOf,
  gpuAvailability,
  gpuName,
  manufacturerOf,
  offeredGpus,
} from "../../../../emulator/core/catalog/gpu-availability.ts";
import { GPU_TYPES } from "../../../../emulator/core/catalog/gpu-types.ts";
import type { GpuInventory } from "../../../../emulator/core/workers/gpu-allocation.ts";

const known = (...typeIds: readonly string[]): GpuInventory => ({
  kind: "known",
  devices: typeIds.map((typeId, index) => ({ id: String(index), typeId, isSimulated: false })),
});

it("a type is available if the machine has enough of them, in any spelling", () => {
  const machine = known("NVIDIA RTX A4500", "NVIDIA RTX A4500");
  const there = (typeId: string, count: number) => gpuAvailability(machine, { typeId, count });
  expect(there("NVIDIA  RTX A4500", 2)).toBe("HIGH");
  expect(there("NVIDIA RTX A4500", 3)).toBe("NONE");
  expect(there("NVIDIA L4", 1)).toBe("NONE");
});

it("an unknown CUDA version is accepted, and not shown", () => {
  const machine = known("NVIDIA L4");
  const asked = { typeId: "NVIDIA L4", count: 1, minCudaVersion: "13.0" };
  expect(gpuAvailability(machine, asked)).toBe("HIGH");
  expect(cudaVersionsOf(machine, "NVIDIA L4")).toEqual([]);
});

it("types that only the machine has follow those of the interface, once each", () => {
  const ids = offeredGpus(known("NVIDIA A10G", "NVIDIA L4", "NVIDIA A10G")).map(({ id }) => id);
  expect(ids).toEqual([...GPU_TYPES.map(({ id }) => id), "NVIDIA A10G"]);
});

it.each([
  ["NVIDIA GeForce RTX 4090", "RTX 4090", "NVIDIA"],
  ["NVIDIA H100 80GB HBM3", "H100 80GB HBM3", "NVIDIA"],
  ["Tesla T4", "Tesla T4", "NVIDIA"],
  ["AMD Instinct MI300X OAM", "Instinct MI300X OAM", "AMD"],
  ["Another one", "Another one", "UNKNOWN"],
])("%s is named %s, of %s", (id, name, manufacturer) => {
  expect(gpuName(id)).toBe(name);
  expect(manufacturerOf(id)).toBe(manufacturer);
});
