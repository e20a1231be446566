/** Properties and examples of the split of a value into parts of bounded size. */
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonPart, NotSplittableError } from "../../../../runtime/core/split-text.ts";
import { joined, splitJson, splittableAt, trickyJson } from "./split-arbitrary.ts";

const maxBytes = fc.oneof(
  fc.integer({ min: 1, max: 40 }),
  fc.integer({ min: 16, max: 200 }),
  fc.integer({ min: 200, max: 2000 }),
);

/** The parts of a value; undefined if it cannot be split. */
function partsOf(value: unknown, max: number): readonly JsonPart[] | undefined {
  try {
    return splitJson(value, max);
  } catch (error) {
    expect(error).toBeInstanceOf(NotSplittableError);
    return undefined;
  }
}

/** JSON text that `JSON.stringify` inserts unchanged; the compiler's library does not have the function yet. */
const { rawJSON } = JSON as unknown as { rawJSON: (json: string) => object };

describe("splitJson", () => {
  test("a value is refused, or its parts are JSON within the limit and join to the value", () => {
    let manyParts = 0;
    fc.assert(
      fc.property(trickyJson, maxBytes, (value, max) => {
        const parts = partsOf(value, max);
        if (max >= 16 && splittableAt(value, max)) expect(parts).toBeDefined();
        if (parts === undefined) return;
        if (parts.length > 1) manyParts += 1;
        for (const [index, { json, continues }] of parts.entries()) {
          expect(Buffer.byteLength(json)).toBeLessThanOrEqual(max);
          expect(continues > 0).toBe(index > 0);
        }
        expect(JSON.stringify(joined(parts))).toBe(JSON.stringify(value));
      }),
      { numRuns: 3_000 },
    );
    expect(manyParts).toBeGreaterThan(200);
  });

  test("parts are as few as the limit allows, up to the keys they repeat", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 400 }), { maxLength: 40 }), (value) => {
        const max = 1000;
        const bytes = Buffer.byteLength(JSON.stringify(value));
        expect(splitJson(value, max).length).toBeLessThanOrEqual(1 + Math.ceil((bytes * 2) / max));
      }),
    );
  });

  test("a value of exactly the limit is one part, and one byte more makes two", () => {
    const value = "é".repeat(49);
    expect(splitJson(value, 100)).toEqual([{ json: JSON.stringify(value), continues: 0 }]);
    expect(splitJson(value, 99)).toHaveLength(2);
  });

  test("a small value is written once and not read again", () => {
    let calls = 0;
    const value = { toJSON: () => ({ calls: (calls += 1) }) };
    expect(splitJson(value)).toEqual([{ json: '{"calls":1}', continues: 0 }]);
    expect(calls).toBe(1);
  });

  test("the default limit is 1,000,000 bytes", () => {
    expect(splitJson("a".repeat(999_998))).toHaveLength(1);
    expect(splitJson("a".repeat(999_999))).toHaveLength(2);
  });

  test("elements that fit a part stay whole", () => {
    expect(
      splitJson(["a".repeat(8), "b".repeat(8), "c".repeat(8)], 16).map((part) => part.json),
    ).toEqual(['["aaaaaaaa"]', '["bbbbbbbb"]', '["cccccccc"]']);
  });

  test("a giant string inside nested containers is cut, with its keys repeated", () => {
    expect(splitJson({ a: [1, { b: "0123456789abcdef" }] }, 24)).toEqual([
      { json: '{"a":[1,{"b":"012345"}]}', continues: 0 },
      { json: '{"a":[{"b":"6789abcd"}]}', continues: 4 },
      { json: '{"a":[{"b":"ef"}]}', continues: 4 },
    ]);
  });

  test("`continues` counts only the containers that go on", () => {
    const parts = splitJson({ a: [1111, 2222, 3333], b: [4444, 5555] }, 20);
    expect(parts).toEqual([
      { json: '{"a":[1111,2222]}', continues: 0 },
      { json: '{"a":[3333]}', continues: 2 },
      { json: '{"b":[4444,5555]}', continues: 1 },
    ]);
  });

  test("a surrogate pair is never torn and lone surrogates stay escapes", () => {
    const value = `${"😀".repeat(10)}\ud83dx${"\ude00".repeat(5)}${"é€😀".repeat(5)}`;
    for (let max = 16; max < 60; max += 1) {
      const parts = splitJson(value, max);
      for (const { json } of parts) expect(Buffer.from(json).toString("utf8")).toBe(json);
      expect(parts.map(({ json }) => json).join("")).not.toContain("\ufffd");
      expect(joined(parts)).toBe(value);
    }
  });

  test("a surrogate pair that is written as two escapes is kept together", () => {
    const value = [rawJSON('"' + "\\ud83d\\ude00".repeat(20) + '"')];
    const parts = splitJson(value, 40);
    for (const { json } of parts) expect(json).toMatch(/^\["(\\ud83d\\ude00)+"\]$/);
    expect(joined(parts)).toEqual(["😀".repeat(20)]);
  });

  test("backslashes and quotes at every offset survive", () => {
    const value = String.raw`\"\\"\u0041\\\\"`.repeat(10) + "\u0000\n\u2028";
    for (let max = 16; max < 60; max += 1) expect(joined(splitJson(value, max))).toBe(value);
  });

  test("special keys such as `__proto__` come back as own keys in the same order", () => {
    const value: unknown = JSON.parse(
      '{"10":"aaaaaaaaaaaaaaaaaaaaaaaa","2":{"__proto__":{"x":"bbbbbbbbbbbbbbbbbbbbbbbbbbbb"}},' +
        '"":"cccccccccccccccccccc","a\\\\b":"dddddddddddd","constructor":{"prototype":[1,2,3,4,5,6,7,8,9]},"__proto__":[[],{},""]}',
    );
    const back = joined(splitJson(value, 48));
    expect(JSON.stringify(back)).toBe(JSON.stringify(value));
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
  });

  test("512 nested levels split and join without a stack overflow", () => {
    let value: unknown = "x".repeat(5000);
    for (let level = 0; level < 512; level += 1)
      value = level % 2 === 0 ? [value] : { k: value, l: 1 };
    const parts = splitJson(value, 4000);
    expect(parts.length).toBeGreaterThan(2);
    expect(JSON.stringify(joined(parts))).toBe(JSON.stringify(value));
  });

  test.each([
    ["a key over the limit", { ["k".repeat(200)]: 1 }],
    ["a key of almost the limit before a long string", { ["k".repeat(92)]: "x".repeat(50) }],
    ["nesting as deep as the limit", JSON.parse("[".repeat(60) + "]".repeat(60))],
    ["a number longer than the limit", rawJSON("1".repeat(200))],
  ])("%s is refused", (_name, value) => {
    expect(() => splitJson(value, 100)).toThrow(NotSplittableError);
  });

  test("the refusal of a key names it and its length", () => {
    const value = { small: 1, list: [{ ["k".repeat(200)]: "v" }] };
    expect(() => splitJson(value, 100)).toThrow(
      `parts of at most 100 bytes: the keys and brackets that lead to the value under "list" / "${"k".repeat(39)}… ` +
        "(3 levels deep) take 216 bytes in each part.",
    );
  });

  test("the work grows linearly with the size of the value", () => {
    const bytesOut = (count: number): number => {
      const rows = Array.from({ length: count }, (_, id) => ({ id, text: "é".repeat(50) }));
      const parts = splitJson({ rows }, 10_000);
      expect(joined(parts)).toEqual({ rows });
      return parts.reduce((sum, { json }) => sum + json.length, 0);
    };
    expect(bytesOut(8000) / bytesOut(2000)).toBeLessThan(4.2);
  });

  test("a long key cannot enlarge a value beyond a fixed factor", () => {
    const value = { ["k".repeat(900)]: "x".repeat(100_000) };
    const written = splitJson(value, 1000).reduce((sum, { json }) => sum + json.length, 0);
    expect(written / JSON.stringify(value).length).toBeLessThan(33);
  });
});
