/** What nvidia-smi says, what it fails to say, and what of it this process may use. */
import { chmod } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { gpuFinder } from "../../../emulator/launch/find-gpus.ts";
import { askNvidiaSmi, readGpuTable, visibleOnes } from "../../../emulator/launch/nvidia-smi.ts";
import { temporaryTree } from "../../temporary-tree.ts";

const ANSWER = `0, GPU-11111111-aaaa, NVIDIA H200
1, GPU-22222222-bbbb, NVIDIA H200
2, GPU-33333333-cccc, NVIDIA RTX 6000 Ada Generation
`;

/** A program in the place of nvidia-smi. */
async function program(script: string) {
  const tree = await temporaryTree({ "nvidia-smi": `#!/bin/sh\n${script}\n` });
  await chmod(tree.path("nvidia-smi"), 0o755);
  return {
    path: tree.path("nvidia-smi"),
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  };
}

describe("the answer of nvidia-smi", () => {
  it("is a GPU a line", () => {
    expect(readGpuTable(ANSWER)).toEqual([
      { index: "0", id: "GPU-11111111-aaaa", typeId: "NVIDIA H200", isSimulated: false },
      { index: "1", id: "GPU-22222222-bbbb", typeId: "NVIDIA H200", isSimulated: false },
      {
        index: "2",
        id: "GPU-33333333-cccc",
        typeId: "NVIDIA RTX 6000 Ada Generation",
        isSimulated: false,
      },
    ]);
  });

  it("may hold lines that name no GPU: they are left out", () => {
    const broken = `0, [N/A], [N/A]\n1, GPU-1, [Unknown Error]\n\nNo devices were found\n 3 ,  GPU-3 ,  Tesla T4 \r\n`;
    expect(readGpuTable(broken)).toMatchObject([{ index: "3", id: "GPU-3", typeId: "Tesla T4" }]);
  });

  it("is asked for from the program", async () => {
    await using fake =
      await program(`[ "$1 $2" = "--query-gpu=index,uuid,name --format=csv,noheader,nounits" ] || exit 9
cat <<END\n${ANSWER}END`);
    const inventory = await askNvidiaSmi(undefined, fake.path);
    expect(inventory).toMatchObject({ isKnown: true, devices: { length: 3 } });
  });

  it.each([
    ["is missing", undefined, "was not found"],
    ["fails", "echo 'driver mismatch' >&2; exit 9", "driver mismatch"],
    ["finds nothing", "echo 'No devices were found'", "names no GPU"],
  ])("leaves the GPUs unknown when the program %s", async (_, script, reason) => {
    await using fake = await program(script ?? "");
    const path = script === undefined ? `${fake.path}-is-missing` : fake.path;
    expect(await askNvidiaSmi(undefined, path)).toEqual({
      isKnown: false,
      reason: expect.stringContaining(reason),
    });
  });
});

it("is not waited for when the program hangs, nor is what it has started", async () => {
  await using fake = await program("sleep 30");
  const startedAt = performance.now();
  const inventory = await askNvidiaSmi(undefined, fake.path, 50);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect(inventory).toMatchObject({
    isKnown: false,
    reason: expect.stringContaining("there was no answer within 50 ms"),
  });
});

describe("CUDA_VISIBLE_DEVICES of the emulator", () => {
  it.each([
    [undefined, ["GPU-11111111-aaaa", "GPU-22222222-bbbb", "GPU-33333333-cccc"]],
    ["1", ["GPU-22222222-bbbb"]],
    ["2,0", ["GPU-33333333-cccc", "GPU-11111111-aaaa"]],
    [" GPU-222 , 1", ["GPU-22222222-bbbb"]],
    ["0,-1,1", ["GPU-11111111-aaaa"]],
    ["", []],
    ["GPU-9", []],
  ])("%o leaves %o to give", (visible, ids) => {
    const gpus = readGpuTable(ANSWER);
    expect(visibleOnes(gpus, visible).map(({ id }) => id)).toEqual(ids);
  });
});

describe("the option gpus", () => {
  it("none is a machine without GPUs", async () => {
    expect(await gpuFinder("none")()).toEqual({ isKnown: true, devices: [] });
  });

  it("declares GPUs, in order", async () => {
    const inventory = await gpuFinder("Test GPU=2,Other GPU=1")();
    expect(inventory).toMatchObject({
      isKnown: true,
      devices: [
        { id: "0", typeId: "Test GPU" },
        { id: "1", typeId: "Test GPU" },
        { id: "2", typeId: "Other GPU" },
      ],
    });
  });

  it("is refused when it makes no sense", () => {
    expect(() => gpuFinder("2")).not.toThrow();
    expect(() => gpuFinder("L4=many")).toThrow(
      'gpus must be auto, none, or names with numbers like "NVIDIA L4=2,NVIDIA H200=1" (1 to 1000 each); got "L4=many"',
    );
  });
});
