/** Each kind of value has the documented JSON text, or a message that says where it is and what to return instead. */
import { createReadStream } from "node:fs";
import vm from "node:vm";
import { describe, expect, test } from "vitest";
import {
  InvalidOutputError,
  outputJson,
  toJson,
} from "../../../../../runtime/handler/output/output.ts";

const cyclic = { list: [{ name: "a", back: {} }] };
for (const item of cyclic.list) item.back = cyclic;

const epoch = { at: new Date(0) };

class Point {
  x = 1;
  #hidden = 2;
  sum(): number {
    return this.x + this.#hidden;
  }
}

class Closed {
  readonly #value = 1;
  read(): number {
    return this.#value;
  }
}

function* counting() {
  yield 1;
}

describe("an output that is", () => {
  test.each([
    ["undefined", undefined, undefined],
    ["null", null, "null"],
    ["a Date", new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ["a URL inside", { at: new URL("http://a/b") }, '{"at":"http://a/b"}'],
    ["undefined inside", { a: undefined, c: [undefined] }, '{"c":[null]}'],
    ["an instance of a class", { point: new Point() }, '{"point":{"x":1}}'],
    ["an object of another realm", vm.runInNewContext("({ a: [{}] })"), '{"a":[{}]}'],
    ["an object without prototype", Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ["boxed primitives", [Object(1), Object("a"), Object(true)], '[1,"a",true]'],
    [
      "a member __proto__ beside a Date",
      JSON.parse('{"__proto__":1,"d":2}'),
      '{"__proto__":1,"d":2}',
    ],
    ["a Buffer inside", [Buffer.from("a")], '[{"type":"Buffer","data":[97]}]'],
    ["its own toJSON", { toJSON: () => ["mine"] }, '["mine"]'],
    ["a toJSON inside that gives nothing", { a: { toJSON: () => undefined } }, "{}"],
    [
      "a toJSON that gives the member's name",
      { a: { toJSON: (name: string) => name } },
      '{"a":"a"}',
    ],
    [
      "one object twice",
      [epoch, epoch],
      '[{"at":"1970-01-01T00:00:00.000Z"},{"at":"1970-01-01T00:00:00.000Z"}]',
    ],
  ])("%s", (_, value, json) => {
    expect(outputJson(value, 1_000)).toEqual(json);
  });

  test.each([
    ["a Uint8Array", new Uint8Array([1, 2]), "[1,2]"],
    ["a Float32Array inside", { e: new Float32Array([0.5, -1]) }, '{"e":[0.5,-1]}'],
    ["a Float16Array", new Float16Array([1.5]), "[1.5]"],
    [
      "a BigInt64Array of safe integers",
      new BigInt64Array([-(2n ** 53n) + 1n]),
      "[-9007199254740991]",
    ],
    ["a DataView", new DataView(Uint8Array.from([7, 8, 9]).buffer, 1), "[8,9]"],
  ])("%s is an array of numbers", (_, value, json) => {
    expect(outputJson(value, 1_000)).toBe(json);
  });

  test.each([
    ["two dimensions", "float32", [2, 2], new Float32Array([1, 2, 3, 4]), "[[1,2],[3,4]]"],
    ["three", "int64", [1, 2, 1], new BigInt64Array([5n, 6n]), "[[[5],[6]]]"],
    ["none", "bool", [], new Uint8Array([1]), "1"],
    ["a length of 0", "float32", [2, 0], new Float32Array(), "[[],[]]"],
    ["bits of float16", "float16", [1], new Uint16Array([0x3c00]), "[1]"],
    ["strings", "string", [2], ["a", "b"], '["a","b"]'],
  ])("a tensor with %s has its shape", (_, type, dims, data, json) => {
    // The members of a tensor of ONNX Runtime are getters of its class.
    const tensor = Object.create(
      { type, dims, data },
      { location: { value: "cpu", enumerable: true } },
    );
    expect(outputJson(tensor, 1_000)).toBe(json);
  });

  test("an error has its name, message, cause and errors", () => {
    const cause = Object.assign(new TypeError("why"), { code: "E_WHY" });
    const error = new AggregateError([new RangeError("one")], "all", { cause });
    expect(JSON.parse(toJson({ error }, "The output") ?? "")).toEqual({
      error: {
        name: "AggregateError",
        message: "all",
        cause: { name: "TypeError", message: "why", code: "E_WHY" },
        errors: [{ name: "RangeError", message: "one" }],
      },
    });
  });

  const response = Response.json({});
  test.each([
    [
      "a Buffer",
      Buffer.from("a"),
      "The output is binary data, which has no JSON form: return it as a base64",
    ],
    ["an ArrayBuffer", { a: new ArrayBuffer(1) }, "The output has at a binary data, which has"],
    [
      "NaN",
      [1, { n: Number.NaN }],
      "The output has at [1].n NaN, which has no JSON form: return null",
    ],
    ["-Infinity", -Infinity, "The output is -Infinity, which has"],
    ["NaN in a typed array", { e: new Float64Array([0, Number.NaN]) }, "has at e[1] NaN"],
    ["a large BigInt in a typed array", new BigUint64Array([2n ** 60n]), "has at [0] a BigInt"],
    [
      "a Node stream inside",
      { s: createReadStream("/dev/null") },
      "has at s a stream, which has no JSON form: return it alone",
    ],
    ["a ReadableStream inside", [new ReadableStream()], "has at [0] a stream"],
    [
      "a Map",
      { "the map": new Map() },
      'has at ["the map"] a Map, which has no JSON form: return Object.fromEntries(map)',
    ],
    ["a Set", new Set(), "The output is a Set, which has no JSON form: return [...set]"],
    ["a Response", response, "return response.body, or await response.json()"],
    ["a Request", { request: new Request("http://a") }, "has at request a Request"],
    [
      "a Blob",
      [new Blob([])],
      "has at [0] a Blob, which has no JSON form: await blob.text(), or upload it",
    ],
    ["a File", new File([], "a"), "a Blob, which has"],
    ["Headers", response.headers, "return Object.fromEntries(headers)"],
    ["FormData", new FormData(), "return Object.fromEntries(formData)"],
    ["URLSearchParams", new URLSearchParams(), "return String(searchParams)"],
    [
      "a forgotten await",
      { a: { b: Promise.resolve(1) } },
      "has at a.b a Promise, which has no JSON form: await it",
    ],
    [
      "a thenable",
      // oxlint-disable-next-line unicorn/no-thenable
      { query: { then: () => 1 } },
      "has at query a promise, which has no JSON form: await it",
    ],
    ["a WeakRef", new WeakRef({}), "return weakRef.deref()"],
    [
      "a generator inside",
      { g: counting() },
      "has at g an iterator, which has no JSON form: return [...iterator]",
    ],
    ["an iterator of a Map inside", { values: new Map().values() }, "has at values an iterator"],
    ["a function inside", { f: () => 1 }, "has at f a function, which has no JSON form"],
    ["a method in an array", [Math.max], "has at [0] a function"],
    ["a symbol", [Symbol("s")], "has at [0] a symbol, which has no JSON form"],
    [
      "a BigInt",
      { ids: [1n] },
      "has at ids[0] a BigInt, which has no JSON form: return it as a string",
    ],
    [
      "a regular expression",
      { re: /a/u },
      "has at re an instance of RegExp, which has no members that JSON shows",
    ],
    [
      "a class that hides its data",
      new Closed(),
      "is an instance of Closed, which has no members that JSON shows",
    ],
    ["a cycle", cyclic, "The output has at list[0].back a reference back to the whole value"],
    [
      "a getter that throws",
      {
        get a() {
          throw new Error("no a");
        },
      },
      "The output has at a something that cannot be read: no a",
    ],
    [
      "a toJSON that throws",
      [
        {
          toJSON: () => {
            throw new Error("no");
          },
        },
      ],
      "has at [0] something that cannot be read: no",
    ],
    [
      "a toJSON without a result",
      { toJSON: (): unknown => undefined },
      "toJSON method that returns nothing",
    ],
  ])("%s is refused with its place and an alternative", (_, value, says) => {
    expect(() => toJson(value, "The output")).toThrow(InvalidOutputError);
    expect(() => toJson(value, "The output")).toThrow(says);
  });

  test("nested 100,000 deep is refused", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(() => toJson(deep, "The output")).toThrow("The output is nested too deeply.");
  });
});
