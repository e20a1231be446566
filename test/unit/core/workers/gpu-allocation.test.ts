/** Allocation of GPUs to workers, and declared inventories. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chooseGpus,
  type GpuDevice,
  gpuLack,
  inventoryInWords,
  simulateGpus,
} from "../../../../emulator/core/workers/gpu-allocation.ts";
import {
  declaredDevices,
  readGpuDeclaration,
} from "../../../../emulator/core/workers/gpu-declaration.ts";

const L4 = "NVIDIA L4";
const H200 = "NVIDIA H200";

const device = (id: string, typeId: string): GpuDevice => ({ id, typeId, isSimulated: false });
const devices = [device("a", L4), device("b", H200), device("c", L4), device("d", H200)];
const free = () => true;
const ids = (chosen: readonly GpuDevice[] | undefined) => chosen?.map(({ id }) => id);

describe("the choice of GPUs", () => {
  it("takes the first type of the list with enough free ones", () => {
    const choose = (gpuTypeIds: string[], gpuCount = 1, taken: string[] = []) =>
      ids(chooseGpus(devices, ({ id }) => !taken.includes(id), { gpuTypeIds, gpuCount }));
    expect(choose([H200, L4])).toEqual(["b"]);
    expect(choose([H200, L4], 1, ["b"])).toEqual(["d"]);
    expect(choose([H200, L4], 1, ["b", "d"])).toEqual(["a"]);
    expect(choose([H200, L4], 2, ["b"])).toEqual(["a", "c"]);
    expect(choose(["NVIDIA A30", L4])).toEqual(["a"]);
    expect(choose(["NVIDIA A30"])).toBeUndefined();
  });

  it("never mixes types: a worker of two GPUs does not get one of each", () => {
    const taken = ["a", "b"];
    const wish = { gpuTypeIds: [L4, H200], gpuCount: 2 };
    expect(chooseGpus(devices, ({ id }) => !taken.includes(id), wish)).toBeUndefined();
  });

  it("takes the first type of the inventory if the endpoint names none", () => {
    expect(ids(chooseGpus(devices, free, { gpuTypeIds: [], gpuCount: 2 }))).toEqual(["a", "c"]);
    const wish = { gpuTypeIds: [], gpuCount: 1 };
    expect(ids(chooseGpus(devices, ({ typeId }) => typeId === H200, wish))).toEqual(["b"]);
  });

  it("ignores spaces and case in names", () => {
    const a4500 = [device("x", "NVIDIA RTX A4500")];
    const wish = { gpuTypeIds: ["NVIDIA  RTX a4500 "], gpuCount: 1 };
    expect(ids(chooseGpus(a4500, free, wish))).toEqual(["x"]);
  });

  it("reports whether waiting will help", () => {
    expect(gpuLack(devices, { gpuTypeIds: [H200], gpuCount: 2 })).toBe(
      "2 × NVIDIA H200: not enough are free",
    );
    expect(gpuLack(devices, { gpuTypeIds: [H200, "NVIDIA A30"], gpuCount: 3 })).toBe(
      "3 × NVIDIA H200 or NVIDIA A30: this machine has 2 × NVIDIA L4, 2 × NVIDIA H200; --gpus simulate runs workers without a GPU",
    );
    expect(gpuLack([], { gpuTypeIds: [], gpuCount: 1 })).toBe(
      "1 × any GPU: this machine has no GPU; --gpus simulate runs workers without a GPU",
    );
  });

  it("gives only free devices, all of one wanted type, and gives none only if no type has enough", () => {
    const type = fc.constantFrom("X", "Y", "Z");
    const inventory = fc
      .array(fc.tuple(type, fc.boolean()), { maxLength: 8 })
      .map((made) =>
        made.map(([typeId, isFree], id) => ({ ...device(String(id), typeId), isFree })),
      );
    const anyWish = fc.record({
      gpuTypeIds: fc.uniqueArray(type, { maxLength: 3 }),
      gpuCount: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(inventory, anyWish, (all, wish) => {
        const freeIds = new Set(all.filter(({ isFree }) => isFree).map(({ id }) => id));
        const chosen = chooseGpus(all, ({ id }) => freeIds.has(id), wish);
        const types = wish.gpuTypeIds.length > 0 ? wish.gpuTypeIds : ["X", "Y", "Z"];
        const freeOf = (typeId: string) =>
          all.filter((one) => one.typeId === typeId && freeIds.has(one.id)).length;
        const isServable = types.some((one) => freeOf(one) >= wish.gpuCount);
        expect(chosen !== undefined).toBe(isServable);
        if (chosen === undefined) return;
        expect(new Set(chosen.map(({ id }) => id)).size).toBe(wish.gpuCount);
        expect(chosen.every(({ id }) => freeIds.has(id))).toBe(true);
        const [typeId = "", ...others] = new Set(chosen.map((one) => one.typeId));
        expect(others).toEqual([]);
        expect(types).toContain(typeId);
      }),
    );
  });
});

describe("the CUDA versions that an endpoint accepts", () => {
  const withCuda = [
    { ...device("old", L4), cudaVersion: "12.4" },
    { ...device("new", L4), cudaVersion: "12.10", driverVersion: "570.1" },
  ];
  const any = { gpuTypeIds: [], gpuCount: 1 };

  it.each([
    [{}, ["old"]],
    [{ allowedCudaVersions: [] }, ["old"]],
    [{ allowedCudaVersions: ["12.10", "13.0"] }, ["new"]],
    [{ allowedCudaVersions: ["12.8"] }, undefined],
    [{ minCudaVersion: "12.4" }, ["old"]],
    [{ minCudaVersion: "12.9" }, ["new"]],
    [{ minCudaVersion: "13.0" }, undefined],
    [{ allowedCudaVersions: ["12.4", "12.10"], minCudaVersion: "12.5" }, ["new"]],
    [{ allowedCudaVersions: ["12.4"], minCudaVersion: "12.5" }, undefined],
  ])("of an endpoint with %o leave %o", (wish, chosen) => {
    expect(ids(chooseGpus(withCuda, free, { ...any, ...wish }))).toEqual(chosen);
  });

  it("include a device with an unknown CUDA version", () => {
    const wish = { ...any, allowedCudaVersions: ["12.8"], minCudaVersion: "12.8" };
    expect(ids(chooseGpus([device("a", L4)], free, wish))).toEqual(["a"]);
  });

  it("are in the error if the driver has none of them, with the driver's versions", () => {
    const wish = { ...any, allowedCudaVersions: ["12.8", "13.0"], minCudaVersion: "12.5" };
    expect(gpuLack(withCuda, wish)).toBe(
      "the endpoint needs 1 × any GPU with CUDA 12.8 or 13.0, 12.5 or newer, the driver gives CUDA 12.4 and driver 570.1 gives CUDA 12.10: update the driver, or change its minCudaVersion or allowedCudaVersions",
    );
    expect(gpuLack(withCuda, { ...any, minCudaVersion: "12.4" })).toBe(
      "1 × any GPU with CUDA 12.4 or newer: not enough are free",
    );
  });
});

describe("simulated GPUs", () => {
  it("have the first requested type and the lowest free numbers", () => {
    const wish = { gpuTypeIds: [H200, L4], gpuCount: 2 };
    const simulated = (id: string) => ({ id, typeId: H200, isSimulated: true });
    expect(simulateGpus((id) => id !== "1", wish)).toEqual([simulated("0"), simulated("2")]);
    expect(simulateGpus(free, { gpuTypeIds: [], gpuCount: 1 })).toEqual([
      { id: "0", typeId: "Simulated GPU", isSimulated: true },
    ]);
  });
});

describe("a declared inventory", () => {
  it("is a list of types with counts, or the word none", () => {
    expect(readGpuDeclaration("NVIDIA L4=2, NVIDIA  H200 = 1,Tesla T4")).toEqual([
      { type: L4, count: 2 },
      { type: H200, count: 1 },
      { type: "Tesla T4", count: 1 },
    ]);
    expect(readGpuDeclaration("NVIDIA L4=1,NVIDIA L4=2")).toEqual([{ type: L4, count: 3 }]);
    expect(readGpuDeclaration(" None ")).toEqual([]);
    expect(readGpuDeclaration("NVIDIA A100-SXM4-80GB=8")).toEqual([
      { type: "NVIDIA A100-SXM4-80GB", count: 8 },
    ]);
  });

  it("is refused if a name or a number is missing or invalid", () => {
    const wrong = [
      "",
      " ",
      ",",
      "L4=",
      "L4=0",
      "L4=-1",
      "L4=1.5",
      "L4=x",
      "=2",
      "L4=1,",
      "L4=1001",
    ];
    expect(wrong.filter((text) => readGpuDeclaration(text) !== undefined)).toEqual([]);
    expect(readGpuDeclaration("L4=600,L4=600")).toBeUndefined();
  });

  it("uses the machine's own GPUs first, and simulates the rest", () => {
    const declaration = [
      { type: L4, count: 3 },
      { type: "Tesla T4", count: 1 },
    ];
    expect(declaredDevices(declaration, devices)).toEqual([
      device("a", L4),
      device("c", L4),
      { id: "2", typeId: L4, isSimulated: true },
      { id: "3", typeId: "Tesla T4", isSimulated: true },
    ]);
    expect(declaredDevices([{ type: H200, count: 1 }], devices)).toEqual([device("b", H200)]);
    expect(inventoryInWords(declaredDevices(declaration, []))).toBe("3 × NVIDIA L4, 1 × Tesla T4");
  });

  it("uses each of the machine's GPUs once, even if its type is declared twice", () => {
    const twice = [
      { type: L4, count: 1 },
      { type: "nvidia l4", count: 2 },
    ];
    expect(ids(declaredDevices(twice, devices))).toEqual(["a", "c", "2"]);
  });

  it("sets the memory of simulated GPUs only; the machine's own keep theirs", () => {
    const own = { ...device("a", L4), memoryGb: 22.5 };
    expect(declaredDevices([{ type: L4, count: 2, memoryGb: 24 }], [own])).toEqual([
      own,
      { id: "1", typeId: L4, isSimulated: true, memoryGb: 24 },
    ]);
  });
});
