/** Which GPUs a worker gets, and how an inventory is declared. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chooseGpus,
  type GpuDevice,
  gpuLack,
  inventoryInWords,
} from "../../../emulator/core/gpu-allocation.ts";
import { declaredDevices, readGpuDeclaration } from "../../../emulator/core/gpu-declaration.ts";

const L4 = "NVIDIA L4";
const H200 = "NVIDIA H200";

const device = (id: string, typeId: string): GpuDevice => ({ id, typeId, isSimulated: false });
const devices = [device("a", L4), device("b", H200), device("c", L4), device("d", H200)];
const free = () => true;
const ids = (chosen: readonly GpuDevice[] | undefined) => chosen?.map(({ id }) => id);

describe("the choice of GPUs", () => {
  it("takes the first type of the list that has enough free ones", () => {
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

  it("takes any type where the endpoint names none, in the order of the inventory", () => {
    expect(ids(chooseGpus(devices, free, { gpuTypeIds: [], gpuCount: 2 }))).toEqual(["a", "c"]);
    const wish = { gpuTypeIds: [], gpuCount: 1 };
    expect(ids(chooseGpus(devices, ({ typeId }) => typeId === H200, wish))).toEqual(["b"]);
  });

  it("reads names as people write them: spaces and case do not count", () => {
    const a4500 = [device("x", "NVIDIA RTX A4500")];
    const wish = { gpuTypeIds: ["NVIDIA  RTX a4500 "], gpuCount: 1 };
    expect(ids(chooseGpus(a4500, free, wish))).toEqual(["x"]);
  });

  it("says whether waiting will help", () => {
    expect(gpuLack(devices, { gpuTypeIds: [H200], gpuCount: 2 })).toBe(
      "2 × NVIDIA H200: not enough are free",
    );
    expect(gpuLack(devices, { gpuTypeIds: [H200, "NVIDIA A30"], gpuCount: 3 })).toBe(
      "3 × NVIDIA H200 or NVIDIA A30: this machine has 2 × NVIDIA L4, 2 × NVIDIA H200",
    );
    expect(gpuLack([], { gpuTypeIds: [], gpuCount: 1 })).toBe(
      "1 × any GPU: this machine has no GPU",
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

describe("a declared inventory", () => {
  it("is names with numbers, or none", () => {
    expect(readGpuDeclaration("NVIDIA L4=2, NVIDIA  H200 = 1,Tesla T4")).toEqual([
      { typeId: L4, count: 2 },
      { typeId: H200, count: 1 },
      { typeId: "Tesla T4", count: 1 },
    ]);
    expect(readGpuDeclaration("NVIDIA L4=1,NVIDIA L4=2")).toEqual([{ typeId: L4, count: 3 }]);
    expect(readGpuDeclaration(" None ")).toEqual([]);
    expect(readGpuDeclaration("NVIDIA A100-SXM4-80GB=8")).toEqual([
      { typeId: "NVIDIA A100-SXM4-80GB", count: 8 },
    ]);
  });

  it("is refused when a name or a number is missing or makes no sense", () => {
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

  it("means the machine's own GPUs as far as there are any, and simulates the others", () => {
    const declaration = [
      { typeId: L4, count: 3 },
      { typeId: "Tesla T4", count: 1 },
    ];
    expect(declaredDevices(declaration, devices)).toEqual([
      device("a", L4),
      device("c", L4),
      { id: "2", typeId: L4, isSimulated: true },
      { id: "3", typeId: "Tesla T4", isSimulated: true },
    ]);
    expect(declaredDevices([{ typeId: H200, count: 1 }], devices)).toEqual([device("b", H200)]);
    expect(inventoryInWords(declaredDevices(declaration, []))).toBe("3 × NVIDIA L4, 1 × Tesla T4");
  });
});
