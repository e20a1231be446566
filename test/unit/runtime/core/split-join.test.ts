/** Joins of parts: incremental, without changes to the parts, and refused when a part does not belong. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JoinError, Joiner } from "../../../../runtime/core/join.ts";
import { joinParts, splitJson, splittableAt, trickyJson } from "./split-arbitrary.ts";

function freeze(value: unknown): unknown {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(freeze);
    Object.freeze(value);
  }
  return value;
}

describe("Joiner", () => {
  test("does not change the parts", () => {
    fc.assert(
      fc.property(trickyJson, fc.integer({ min: 20, max: 120 }), (value, max) => {
        fc.pre(splittableAt(value, max));
        const parts = splitJson(value, max).map(({ json, continues }) => ({
          output: freeze(JSON.parse(json)),
          continues,
        }));
        expect(JSON.stringify(joinParts(parts))).toBe(JSON.stringify(value));
        expect(JSON.stringify(joinParts(parts))).toBe(JSON.stringify(value));
      }),
      { numRuns: 500 },
    );
  });

  test("shows the joined value after each part", () => {
    const joiner = new Joiner();
    joiner.add({ output: { a: ["x"] }, continues: 0 });
    joiner.add({ output: { a: ["y", "z"] }, continues: 3 });
    expect(joiner.value()).toEqual({ a: ["xy", "z"] });
    joiner.add({ output: { b: 1 }, continues: 1 });
    expect(joiner.value()).toEqual({ a: ["xy", "z"], b: 1 });
  });

  test("joins 20,000 parts of one array without copying the array for each", () => {
    const joiner = new Joiner();
    joiner.add({ output: [0], continues: 0 });
    joiner.add({ output: [1], continues: 1 });
    const opened = joiner.value();
    for (let index = 2; index < 20_000; index += 1) joiner.add({ output: [index], continues: 1 });
    expect(joiner.value()).toBe(opened);
    expect(opened).toEqual(Array.from({ length: 20_000 }, (_, index) => index));
  });

  const part = (output: unknown, continues: number) => ({ output, continues });
  test.each([
    ["no parts", []],
    ["a first part that continues another", [part([1], 1)]],
    ["a second part that continues none", [part([1], 0), part([2], 0)]],
    ["a part of another kind", [part([1], 0), part({ a: 1 }, 1)]],
    ["a string that a number continues", [part(1, 0), part("a", 1)]],
    ["an array that an object continues", [part({}, 0), part([1], 1)]],
    ["a missing key", [part({ a: "x" }, 0), part({ b: "y" }, 2)]],
    ["an inherited key", [part({ a: "x" }, 0), part({ toString: "y" }, 2)]],
    ["a missing element", [part([], 0), part(["y"], 2)]],
    ["a level below a string", [part("x", 0), part("y", 2)]],
    ["a fraction of a level", [part([1], 0), part([2], 1.5)]],
  ])("refuses %s", (_name, parts) => {
    expect(() => joinParts(parts)).toThrow(JoinError);
  });
});
