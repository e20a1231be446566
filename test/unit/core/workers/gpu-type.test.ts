/** Valid names of GPU types, and suggestions for invalid ones. */
import { expect, it } from "vitest";
import { GPU_TYPE, noGpuType } from "../../../../emulator/core/workers/gpu-type.ts";

it.each([
  "NVIDIA GeForce RTX 4090",
  "NVIDIA  A30",
  "AMD Instinct MI300X OAM",
  "Tesla T4",
  // Not in the list: a machine's name for a part of its GPU.
  "NVIDIA H200 MIG 1g.18gb",
])("%j is one", (name) => {
  expect(name).toMatch(GPU_TYPE);
});

it.each([
  ["RTX 4090", "NVIDIA GeForce RTX 4090"],
  ["h200", "NVIDIA H200"],
  ["nvidia l4", "NVIDIA L4"],
  ["NVIDIA-H200", "NVIDIA H200"],
  ["NVDIA A40", "NVIDIA A40"],
])("%j is none, and %s was probably meant", (name, meant) => {
  expect(name).not.toMatch(GPU_TYPE);
  expect(noGpuType(name)).toContain(`; did you mean ${meant}?`);
});

it.each(["", "NVIDIA", "ADA_24", "GTX 1"])("%j is none, and resembles none", (name) => {
  expect(name).not.toMatch(GPU_TYPE);
  expect(noGpuType(name)).toBe(
    `must be a GPU type like NVIDIA GeForce RTX 4090 or NVIDIA L4; got ${JSON.stringify(name)}`,
  );
});
