/** Valid names of GPU types, and suggestions for invalid ones. */
import { expect, it } from "vitest";
import { GPU_TYPE, noGpuType } from "../../../../emulator/core/workers/gpu-type.ts";

it.each([
  "NVIDIA GeForce RTX 4090",
  "NVIDIA  A30",
  "AMD Instinct MI300X OAM",
  "Tesla T4",
  // A MIG device's name, which is not in the list.
  "NVIDIA H200 MIG 1g.18gb",
])("%j is a valid GPU type", (name) => {
  expect(name).toMatch(GPU_TYPE);
});

it.each([
  ["RTX 4090", "NVIDIA GeForce RTX 4090"],
  ["h200", "NVIDIA H200"],
  ["nvidia l4", "NVIDIA L4"],
  ["NVIDIA-H200", "NVIDIA H200"],
  ["NVDIA A40", "NVIDIA A40"],
])("%j is not a valid GPU type, and the message suggests %s", (name, meant) => {
  expect(name).not.toMatch(GPU_TYPE);
  expect(noGpuType(name)).toContain(`; did you mean ${meant}?`);
});

it.each(["", "NVIDIA", "ADA_24", "GTX 1"])(
  "%j is not a valid GPU type, and the message has no suggestion",
  (name) => {
    expect(name).not.toMatch(GPU_TYPE);
    expect(noGpuType(name)).toBe(
      `must be a GPU type like NVIDIA GeForce RTX 4090 or NVIDIA L4; got ${JSON.stringify(name)}`,
    );
  },
);
