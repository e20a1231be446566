/** Each kind of value has the documented JSON text, or a message that says what to return instead. */
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import {
  InvalidOutputError,
  outputJson,
  toJson,
} from "../../../../../runtime/handler/output/output.ts";

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

describe("an output that is", () => {
  test.each([
    ["undefined", undefined, undefined],
    ["null", null, "null"],
    ["NaN", Number.NaN, "null"],
    ["Infinity", -Infinity, "null"],
    ["a Date", new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ["undefined and functions inside", { a: undefined, b: () => 1, c: [() => 1] }, '{"c":[null]}'],
    ["NaN inside", [Number.NaN, { n: Infinity }], '[null,{"n":null}]'],
    ["a Map or a Set inside", { map: new Map([[1, 2]]), set: new Set([1]) }, '{"map":{},"set":{}}'],
    ["a Buffer inside", [Buffer.from("a")], '[{"type":"Buffer","data":[97]}]'],
    ["a typed array inside", [new Uint8Array([7])], '[{"0":7}]'],
    ["its own toJSON", { toJSON: () => ["mine"] }, '["mine"]'],
  ])("%s", (_, value, json) => {
    expect(outputJson(value, 1_000)).toBe(json);
  });

  test.each([
    ["a Buffer", Buffer.from("a"), "binary data, which has no JSON form: return it as a base64"],
    ["a Uint8Array", new Uint8Array(1), "base64 string, or upload it"],
    ["an ArrayBuffer", new ArrayBuffer(1), "base64 string, or upload it"],
    ["a DataView", new DataView(new ArrayBuffer(1)), "base64 string, or upload it"],
    ["a Readable", Readable.from([]), "a stream, which has no JSON form: yield its parts"],
    ["a ReadableStream", new ReadableStream(), "yield its parts from a generator"],
    ["a Map", new Map(), "return Object.fromEntries(map)"],
    ["a Set", new Set(), "return [...set]"],
    ["a function", () => 1, "a function, which has no JSON form"],
    ["a symbol", Symbol("s"), "a symbol, which has no JSON form"],
    ["a BigInt", 1n, "a BigInt, which has no JSON form: return it as a string"],
    ["a BigInt inside", [1n], "it holds a BigInt; make it a string or a number"],
    ["a cycle", cyclic, "it refers to itself"],
    [
      "a toJSON without a result",
      { toJSON: () => undefined },
      "toJSON method that returns nothing",
    ],
  ])("%s is refused with an alternative", (_, value, says) => {
    expect(() => toJson(value, "The output")).toThrow(InvalidOutputError);
    expect(() => toJson(value, "The output")).toThrow(says);
  });
});
