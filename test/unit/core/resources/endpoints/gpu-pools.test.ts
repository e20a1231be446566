/** Conversion of GPU types to pools and back, and refusals. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GPU_POOLS, GPU_TYPES } from "../../../../../emulator/core/catalog/gpu-types.ts";
import {
  poolsOf,
  readGpuIds,
  typesIn,
  typesOf,
  writeGpuIds,
} from "../../../../../emulator/core/resources/endpoints/gpu-pools.ts";
import { ServiceError } from "../../../../../emulator/core/service-error.ts";

const ofPool = (pool: string) =>
  GPU_TYPES.filter((type) => type.pool === pool).map(({ id }) => id.replace("NVIDIA ", ""));

it.each([
  ["AMPERE_16", ["RTX A4000", "RTX A4500", "RTX 4000 Ada Generation", "RTX 2000 Ada Generation"]],
  ["AMPERE_24", ["L4", "RTX A5000", "GeForce RTX 3090"]],
  ["ADA_24", ["GeForce RTX 4090"]],
  ["ADA_32_PRO", ["GeForce RTX 5090"]],
  ["AMPERE_48", ["RTX A6000", "A40"]],
  ["ADA_48_PRO", ["L40", "L40S", "RTX 6000 Ada Generation"]],
  ["AMPERE_80", ["A100 80GB PCIe", "A100-SXM4-80GB"]],
  ["ADA_80_PRO", ["H100 PCIe", "H100 NVL", "H100 80GB HBM3"]],
  ["HOPPER_141", ["H200"]],
  [
    "BLACKWELL_96",
    ["Server", "Workstation", "Max-Q Workstation"].map(
      (kind) => `RTX PRO 6000 Blackwell ${kind} Edition`,
    ),
  ],
  ["BLACKWELL_180", ["B200"]],
])("the pool %s has the live service's types", (pool, types) => {
  expect(ofPool(pool).toSorted()).toEqual(types.toSorted());
});

it("a pool has at least the memory in its name", () => {
  const less = GPU_TYPES.filter(
    ({ pool, memoryGb }) => memoryGb < Number(/\d+/.exec(pool ?? "0")?.[0]),
  );
  expect(less).toEqual([]);
});

describe("types as pools", () => {
  it("are their pools, in order of priority, without the pools' other types", () => {
    expect(poolsOf(["NVIDIA H200", "NVIDIA L4", "NVIDIA RTX A5000"])).toEqual({
      pools: ["HOPPER_141", "AMPERE_24"],
      excludedTypes: ["NVIDIA GeForce RTX 3090"],
    });
  });

  it("are all pools if any type is accepted, which is the meaning of all pools", () => {
    expect(poolsOf([])).toEqual({ pools: GPU_POOLS, excludedTypes: [] });
    expect(typesOf(GPU_POOLS)).toEqual([]);
    expect(typesOf(GPU_POOLS.toReversed())).toContain("NVIDIA L4");
  });

  it("have their own pools if the live service has none for them", () => {
    const types = ["NVIDIA A10G", "Tesla T4", "NVIDIA H200 MIG 1g.18gb"];
    expect(poolsOf(types)).toEqual({ pools: types, excludedTypes: [] });
    expect(typesOf(types)).toEqual(types);
  });

  it("are equal in both spellings of the two with a double space", () => {
    expect(poolsOf(["NVIDIA  RTX A4500"])).toEqual(poolsOf(["NVIDIA RTX A4500"]));
    expect(typesOf(["AMPERE_16"], ["NVIDIA  RTX A4500"])).not.toContain("NVIDIA RTX A4500");
  });
});

describe("pools as types", () => {
  const problemsOf = (pools: readonly string[], excludedTypes?: readonly string[]) => {
    try {
      return typesOf(pools, excludedTypes);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      expect(error.code).toBe("invalid_request");
      return error.problems;
    }
  };

  it("are refused with the known pools, or the probably intended one", () => {
    expect(problemsOf(["ada-24", "GTX"])).toEqual([
      `the GPU pool "ada-24" is unknown; did you mean ADA_24?`,
      `the GPU pool "GTX" is unknown; the pools are ${GPU_POOLS.join(", ")}`,
    ]);
    expect(problemsOf(["NVIDIA L4"])).toEqual([
      `the GPU pool "NVIDIA L4" is unknown; that type is in the pool AMPERE_24`,
    ]);
  });

  it("are refused if no type is left", () => {
    expect(problemsOf([])).toEqual(["at least one GPU pool is required"]);
    expect(problemsOf(["HOPPER_141"], ["NVIDIA H200"])).toEqual([
      "no GPU type is left: all types of HOPPER_141 are excluded",
    ]);
  });

  it("are refused if an excluded type is in none of them", () => {
    expect(problemsOf(["ADA_24", "HOPPER_141"], ["NVIDIA L4"])).toEqual([
      `the excluded GPU type "NVIDIA L4" is in none of the pools ADA_24, HOPPER_141`,
    ]);
  });
});

const someTypes = fc.uniqueArray(
  fc.constantFrom(...GPU_TYPES.map(({ id }) => id), "NVIDIA A10G", "NVIDIA B200 MIG 1g.23gb"),
  { minLength: 1 },
);
const someChoice = fc
  .uniqueArray(fc.constantFrom(...GPU_POOLS), { minLength: 1 })
  .chain((pools) =>
    fc.record({
      pools: fc.constant(pools),
      excludedTypes: fc.subarray(pools.flatMap(typesIn)),
    }),
  )
  .filter(({ pools, excludedTypes }) =>
    pools.every((pool) => typesIn(pool).some((type) => !excludedTypes.includes(type))),
  );

describe("a conversion and its reverse", () => {
  it("lose only the order of types within a pool", () => {
    fc.assert(
      fc.property(someTypes, (types) => {
        const { pools, excludedTypes } = poolsOf(types);
        const back = typesOf(pools, excludedTypes);
        // Every type of every pool means any type.
        const all = GPU_TYPES.flatMap(({ id, pool }) => (pool === undefined ? [] : id));
        const expected = back.length === 0 ? all : back;
        expect(new Set(types)).toEqual(new Set(expected));
      }),
    );
  });

  it("return pools and their exclusions unchanged", () => {
    fc.assert(
      fc.property(someChoice, ({ pools, excludedTypes }) => {
        expect(poolsOf(typesOf(pools, excludedTypes))).toEqual({ pools, excludedTypes });
      }),
    );
  });

  it("keep the text of pools and excluded types", () => {
    fc.assert(
      fc.property(someTypes, fc.constantFrom(",", ", ", " ,\n"), (types, comma) => {
        const choice = poolsOf(types);
        const text = writeGpuIds(choice);
        expect(readGpuIds(text.replaceAll(",", comma))).toEqual(choice);
      }),
    );
  });

  it("give the live service's text", () => {
    expect(readGpuIds("AMPERE_16,-NVIDIA L4,ADA_24")).toEqual({
      pools: ["AMPERE_16", "ADA_24"],
      excludedTypes: ["NVIDIA L4"],
    });
    expect(writeGpuIds({ pools: ["ADA_24", "AMPERE_24"], excludedTypes: ["NVIDIA L4"] })).toBe(
      "ADA_24,AMPERE_24,-NVIDIA L4",
    );
    expect(readGpuIds(" ")).toEqual({ pools: [], excludedTypes: [] });
  });
});
