/** Answers and failures of nvidia-smi, and the GPUs that this process may use. */
import { describe, expect, it } from "vitest";
import type { GpuDevice } from "../../../../emulator/core/workers/gpu-allocation.ts";
import { gpuFinder, hintsOf } from "../../../../emulator/launch/gpus/find-gpus.ts";
import { askNvidiaSmi, visibleOnes } from "../../../../emulator/launch/gpus/nvidia-smi.ts";
import { scriptInNvidiaSmi, standInNvidiaSmi } from "../../../setup/stand-in-nvidia-smi.ts";
import { temporaryTree } from "../../../temporary-tree.ts";

/** The GPUs found on a machine with recorded answers. */
async function onMachine(name: string, visible?: string) {
  await using nvidiaSmi = await standInNvidiaSmi(name);
  const inventory = await askNvidiaSmi(visible, nvidiaSmi.program);
  return inventory.kind === "unknown"
    ? { ...inventory, reason: inventory.reason.replace(nvidiaSmi.program, "nvidia-smi") }
    : inventory;
}

const real = (device: Omit<GpuDevice, "isSimulated">) => ({ ...device, isSimulated: false });

describe("the GPUs of a machine", () => {
  it("are known with their memory, their driver and its CUDA", async () => {
    const l4 = real({
      id: "GPU-7a3f52c1-0d1e-4b96-8e3f-5c1d2b9a6e04",
      typeId: "NVIDIA L4",
      memoryGb: 22.5,
      computeCapability: "8.9",
      driverVersion: "570.133.20",
      cudaVersion: "12.8",
    });
    expect(await onMachine("one-gpu")).toEqual({ kind: "known", devices: [l4] });
  });

  it("can be eight", async () => {
    const inventory = await onMachine("eight-gpus");
    expect(inventory).toMatchObject({ kind: "known", devices: { length: 8 } });
    const devices = inventory.kind === "known" ? inventory.devices : [];
    expect(new Set(devices.map(({ id }) => id)).size).toBe(8);
    for (const device of devices)
      expect(device).toMatchObject({ typeId: "NVIDIA H200", memoryGb: 140.4, cudaVersion: "13.0" });
  });

  it("are the MIG devices of a divided GPU, and not the whole GPU", async () => {
    const shared = { computeCapability: "8.0", driverVersion: "550.163.01", cudaVersion: "12.4" };
    const mig = (id: string, profile: string, memoryGb: number) =>
      real({ id, typeId: `NVIDIA A100-SXM4-80GB MIG ${profile}`, memoryGb, ...shared });
    expect(await onMachine("mig")).toEqual({
      kind: "known",
      devices: [
        mig("MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f", "3g.40gb", 40),
        mig("MIG-cba663e8-9bed-5b25-b243-5985ef7c9beb", "3g.40gb", 40),
        mig("MIG-1e099852-3624-56c0-8064-c5db1211e44f", "1g.10gb+me", 10),
        real({
          id: "GPU-c0ffee11-6a1b-4f2d-9a0e-77d1e2f3a4b5",
          typeId: "NVIDIA A100-SXM4-80GB",
          memoryGb: 80,
          ...shared,
        }),
      ],
    });
  });

  it("are known without fields that are [N/A], and without lost GPUs", async () => {
    const id = "GPU-a230e637-c9e1-1b61-3830-a437b874d88d";
    const devices = [real({ id, typeId: "NVIDIA GeForce RTX 3090" })];
    expect(await onMachine("fields-not-available")).toEqual({ kind: "known", devices });
  });

  it("are known from a driver that is too old for some fields", async () => {
    const device = real({
      id: "GPU-0e2c1a5b-93c4-4f61-8d2e-6b7a8c9d0e1f",
      typeId: "Tesla V100-SXM2-16GB",
      memoryGb: 15.8,
      driverVersion: "418.226.00",
      cudaVersion: "10.1",
    });
    expect(await onMachine("old-driver")).toEqual({ kind: "known", devices: [device] });
  });

  it("are known from a driver that names its CUDA version differently", async () => {
    expect(await onMachine("cuda-umd-header")).toMatchObject({
      devices: [{ typeId: "NVIDIA B200", cudaVersion: "13.3" }],
    });
  });
});

describe("no GPU is known, and the reason says what to do,", () => {
  it.each([
    ["no-device", "nvidia-smi failed: No devices were found"],
    [
      "driver-mismatch",
      "nvidia-smi failed: Failed to initialize NVML: Driver/library version mismatch; NVML library version: 570.133; the driver was updated, but the old one is still loaded: restart this machine, or reload the kernel modules of nvidia",
    ],
    [
      "driver-not-loaded",
      "nvidia-smi failed: NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.; the driver is not loaded: install it, or load it with modprobe nvidia",
    ],
    [
      "mig-without-devices",
      "nvidia-smi names only GPUs in MIG mode without any MIG device: nvidia-smi mig -cgi <profile> -C makes one, nvidia-smi -mig 0 ends the mode",
    ],
  ])("on a machine with %s", async (machine, reason) => {
    expect(await onMachine(machine)).toEqual({ kind: "unknown", reason });
  });

  it.each([
    ["fails", "echo 'broken' >&2; exit 9", "failed: broken"],
    ["fails without a message", "exit 9", "failed: Command failed"],
    [
      "supports no query",
      `f=\${1#*=}; echo "Field \\"\${f%%,*}\\" is not a valid field to query."; exit 2`,
      'failed: Field "index" is not a valid field to query.',
    ],
    ["lists nothing", "true", "names no GPU"],
  ])("if the program %s", async (_, script, reason) => {
    await using nvidiaSmi = await scriptInNvidiaSmi(script);
    expect(await askNvidiaSmi(undefined, nvidiaSmi.program)).toEqual({
      kind: "unknown",
      reason: expect.stringContaining(reason),
    });
  });

  it("if the program is missing", async () => {
    const program = "/no/such/nvidia-smi";
    expect(await askNvidiaSmi(undefined, program)).toEqual({
      kind: "unknown",
      reason: `${program} was not found`,
    });
  });

  it("if the program hangs, and neither it nor its children are waited for", async () => {
    await using nvidiaSmi = await scriptInNvidiaSmi("sleep 30");
    const startedAt = performance.now();
    const inventory = await askNvidiaSmi(undefined, nvidiaSmi.program, 50);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(inventory).toMatchObject({
      kind: "unknown",
      reason: expect.stringContaining("no answer within 50 ms; its driver or a GPU hangs"),
    });
  });

  it("if CUDA_VISIBLE_DEVICES leaves no GPU", async () => {
    expect(await onMachine("eight-gpus", "-1")).toEqual({
      kind: "unknown",
      reason: "nvidia-smi names 8, of which CUDA_VISIBLE_DEVICES=-1 of the emulator leaves none",
    });
  });
});

it("has the GPUs without their CUDA version if only the header cannot be read", async () => {
  await using nvidiaSmi = await scriptInNvidiaSmi(
    `[ $# -gt 0 ] || exit 1\necho "0, GPU-1, NVIDIA L4, 23034, 8.9, [N/A], 570.133.20"`,
  );
  const inventory = await askNvidiaSmi(undefined, nvidiaSmi.program);
  expect(inventory).toMatchObject({ kind: "known", devices: [{ id: "GPU-1" }] });
  expect(inventory).not.toHaveProperty("devices.0.cudaVersion");
});

describe("CUDA_VISIBLE_DEVICES of the emulator", () => {
  const whole = (index: string, id: string) => ({
    index,
    uuid: id,
    device: real({ id, typeId: "NVIDIA H200" }),
  });
  const part = (index: string, uuid: string, id: string) => ({
    index,
    uuid,
    device: real({ id, typeId: "NVIDIA H200 MIG 1g.18gb" }),
  });
  const found = [
    whole("0", "GPU-11111111-aaaa"),
    whole("1", "GPU-22222222-bbbb"),
    whole("2", "GPU-33333333-cccc"),
    part("3", "GPU-44444444-dddd", "MIG-5"),
    part("3", "GPU-44444444-dddd", "MIG-6"),
  ];

  it.each([
    [undefined, ["GPU-11111111-aaaa", "GPU-22222222-bbbb", "GPU-33333333-cccc", "MIG-5", "MIG-6"]],
    ["1", ["GPU-22222222-bbbb"]],
    ["2,0", ["GPU-33333333-cccc", "GPU-11111111-aaaa"]],
    [" GPU-222 , 1", ["GPU-22222222-bbbb"]],
    ["GPU-,1", ["GPU-11111111-aaaa", "GPU-22222222-bbbb"]],
    ["0,-1,1", ["GPU-11111111-aaaa"]],
    ["MIG-6,0", ["MIG-6", "GPU-11111111-aaaa"]],
    ["3", ["MIG-5", "MIG-6"]],
    ["GPU-444", ["MIG-5", "MIG-6"]],
    ["", []],
    ["GPU-9", []],
  ])("of %o leaves %o", (visible, ids) => {
    expect(visibleOnes(found, visible).map(({ id }) => id)).toEqual(ids);
  });
});

it("reports existing GPUs that are not found", async () => {
  await using none = await temporaryTree({});
  expect(hintsOf(none.root)).toEqual([]);
  await using amd = await temporaryTree({ "dev/kfd": "" });
  expect(hintsOf(amd.root)).toEqual([expect.stringMatching(/GPUs of AMD.*not assigned/u)]);
  await using nvidia = await temporaryTree({ "proc/driver/nvidia/version": "" });
  expect(hintsOf(nvidia.root)).toEqual([expect.stringMatching(/driver is loaded/u)]);
});

describe("the option gpus", () => {
  it("none means a machine without GPUs", async () => {
    expect(await gpuFinder("none")()).toEqual({ kind: "known", devices: [] });
  });

  it("simulate means a machine with any GPU", async () => {
    expect(await gpuFinder("simulate")()).toEqual({ kind: "simulated" });
  });

  it.each([
    ["as a text", "Test GPU=2,Other GPU=1"],
    ["as a list", [{ type: "Test GPU", count: 2 }, { type: "Other GPU" }]],
  ])("declares GPUs %s, in order", async (_, gpus) => {
    const inventory = await gpuFinder(gpus)();
    expect(inventory).toMatchObject({
      kind: "known",
      devices: [
        { id: "0", typeId: "Test GPU" },
        { id: "1", typeId: "Test GPU" },
        { id: "2", typeId: "Other GPU" },
      ],
    });
  });

  it("is refused if it is invalid", () => {
    expect(() => gpuFinder("2")).not.toThrow();
    expect(() => gpuFinder("L4=many")).toThrow(
      'gpus must be auto, none, simulate, or names with numbers like "NVIDIA L4=2,NVIDIA H200=1" (1 to 1000 each); got "L4=many"',
    );
    const lists = [{ type: " " }, { type: "L4", count: 0 }, { type: "L4", memoryGb: -1 }];
    for (const declared of lists) expect(() => gpuFinder([declared])).toThrow(RangeError);
  });
});
