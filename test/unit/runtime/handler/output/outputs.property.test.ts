/** Random outputs of values of every class are equal after JSON, or refused with the place of a value that has no JSON form. */
import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, createSecretKey } from "node:crypto";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import fc from "fast-check";
import { OpenAI, OpenAIError } from "openai";
import { Stream } from "openai/streaming";
import { expect, it } from "vitest";
import { z } from "zod";
import { UnfitValueError } from "../../../../../runtime/handler/output/json-form.ts";
import { InvalidOutputError, toJson } from "../../../../../runtime/handler/output/output.ts";
import { sized } from "../../../../setup/size.ts";

/** A made value with its data after JSON, or the paths of values in it that have no JSON form. */
interface Made {
  readonly value: unknown;
  readonly data?: unknown;
  readonly unfit: readonly string[];
}

class Point {
  readonly #hidden: string;
  constructor(members: object, hidden = "") {
    Object.defineProperties(this, Object.getOwnPropertyDescriptors(members));
    this.#hidden = hidden;
  }
  toString(): string {
    return this.#hidden;
  }
}

const PLAIN: readonly unknown[] = ["", "ä\u2028\ud800", 0, -0, 1e21, true, null, [], {}, "NaN"];

const AGGREGATE = {
  name: "AggregateError",
  message: "all",
  errors: [{ name: "TypeError", message: "t" }],
};

const ISSUE = {
  ...{ expected: "number", code: "invalid_type", path: [] },
  message: "Invalid input: expected number, received string",
};

const ZOD_ERROR = { name: "ZodError", message: JSON.stringify([ISSUE], null, 2) };

/** Pairs of a value and its data after JSON. */
const SHOWN: readonly (readonly [unknown, unknown])[] = [
  [new Date(5), "1970-01-01T00:00:00.005Z"],
  [new URL("http://a/?b"), "http://a/?b"],
  [new Uint8Array([1, 255]), [1, 255]],
  [new Float64Array([0.5]), [0.5]],
  [new BigInt64Array([-5n]), [-5]],
  [new DataView(new ArrayBuffer(2)), [0, 0]],
  [Buffer.from("a"), { type: "Buffer", data: [97] }],
  [new RangeError("why"), { name: "RangeError", message: "why" }],
  [new DOMException("gone", "AbortError"), { name: "AbortError", message: "gone" }],
  [{ type: "float32", dims: [1, 2], data: new Float32Array([1, 2]) }, [[1, 2]]],
  [new Point({ x: 1 }), { x: 1 }],
  [Object(7), 7],
  [Object("text"), "text"],
  [new Uint8ClampedArray([300]), [255]],
  [new BigUint64Array([3n]), [3]],
  [new AggregateError([new TypeError("t")], "all"), AGGREGATE],
  [
    new SuppressedError(1, 2, "both"),
    { name: "SuppressedError", message: "both", error: 1, suppressed: 2 },
  ],
  [new Proxy({ a: [1] }, {}), { a: [1] }],
  [Object.freeze([1, undefined]), [1, null]],
  [new OpenAIError("no key"), { name: "Error", message: "no key" }],
  [z.int().safeParse("x").error, ZOD_ERROR],
  [z.coerce.date().parse(0), "1970-01-01T00:00:00.000Z"],
  [z.object({ at: z.coerce.date() }).parse({ at: 0 }), { at: "1970-01-01T00:00:00.000Z" }],
  [z.array(z.int()).safeDecode([1]), { success: true, data: [1] }],
];

const client = new OpenAI({ apiKey: "none", baseURL: "http://127.0.0.1:9" });
const UNFIT: readonly unknown[] = [
  ...[Number.NaN, Infinity, 1n, () => 1, Symbol("s"), Point, Math.max],
  ...[new Map(), new Set(), new WeakMap(), new WeakSet(), new WeakRef({}), new ArrayBuffer(1)],
  ...[new SharedArrayBuffer(1), new Float32Array([Number.NaN]), new BigUint64Array([2n ** 60n])],
  ...[Response.json({}), new Request("http://a"), new Headers(), new FormData(), new Blob([])],
  ...[new File([], "a"), new URLSearchParams(), new AbortController(), new TextDecoder()],
  ...[new ReadableStream(), new WritableStream(), Readable.from([]), Promise.resolve()],
  ...[[].values(), new Map().entries(), (function* () {})(), (async function* () {})()],
  ...[new TransformStream(), new CompressionStream("gzip"), new TextEncoderStream(), createGzip()],
  ...[
    new MessageChannel(),
    new EventTarget(),
    new FinalizationRegistry(() => {}),
    createHash("md5"),
  ],
  ...[createSecretKey(Buffer.from("key")), new AbortController().signal, new URLPattern({})],
  ...[new Intl.Segmenter("en"), new AsyncLocalStorage()],
  ...[Object(1n), Object(Number.NaN), Object(Symbol("s")), new Proxy(new Map(), {}), [1].keys()],
  ...[
    [1].values().map(String),
    "a".matchAll(/a/gu),
    new Intl.Locale("en"),
    new Int8Array(1).values(),
  ],
  ...[z.map(z.string(), z.int()).parse(new Map()), z.set(z.int()).parse(new Set()), z.nan()],
  ...[z.bigint().parse(5n), z.nan().parse(Number.NaN), client.responses, client.files],
  ...[/a/u, new Intl.NumberFormat(), new Point({}), z.string(), client, client.chat],
  new Stream(async function* () {}, new AbortController()),
];

const plain = fc.constantFrom(...PLAIN).map((value): Made => ({ value, data: value, unfit: [] }));
const shown = fc.constantFrom(...SHOWN).map(([value, data]): Made => ({ value, data, unfit: [] }));
const unfit = fc.constantFrom(...UNFIT).map((value): Made => ({ value, unfit: [""] }));

const NAMES = ["a", "b", "toString", "__proto__", "the name", "0"];
const WRAPS: readonly ((members: object) => object)[] = [
  (members) => members,
  (members) => new Point(members),
  (members) => Object.setPrototypeOf({ ...members }, null) as object,
  (members) => ({ toJSON: () => members }),
];

const { tree } = fc.letrec<{ tree: Made; array: Made; object: Made }>((tie) => ({
  array: fc.array(tie("tree"), { minLength: 1, maxLength: 4 }).map((items): Made => ({
    value: items.map(({ value }) => value),
    data: items.map(({ data }) => data),
    unfit: items.flatMap((item, index) => inside(item, `[${index}]`)),
  })),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), tie("tree")), {
        ...{ minLength: 1, maxLength: 4 },
        selector: ([name]) => name,
      }),
      fc.constantFrom(...WRAPS),
    )
    .map(([members, wrap]): Made => ({
      value: wrap(Object.fromEntries(members.map(([name, { value }]) => [name, value]))),
      data: Object.fromEntries(members.map(([name, { data }]) => [name, data])),
      unfit: members.flatMap(([name, member]) =>
        inside(member, /^\w*[a-z_]\w*$/u.test(name) ? `.${name}` : `["${name}"]`),
      ),
    })),
  tree: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    { weight: 3, arbitrary: plain },
    { weight: 3, arbitrary: shown },
    { weight: 1, arbitrary: unfit },
    { weight: 3, arbitrary: tie("array") },
    { weight: 3, arbitrary: tie("object") },
  ),
}));

function inside({ unfit: paths }: Made, step: string): readonly string[] {
  return paths.map((path) => step + path);
}

it("an output is equal after JSON, or refused with the place of what JSON would lose", () => {
  fc.assert(
    fc.property(tree, ({ value, data, unfit: paths }) => {
      // A Buffer alone is refused.
      if (Buffer.isBuffer(value)) return;
      if (paths.length === 0) {
        expect(JSON.parse(toJson(value, "It") ?? "null")).toEqual(JSON.parse(JSON.stringify(data)));
        return;
      }
      const place = refusedAt(value);
      const isInside = (path: string) =>
        path === "" ||
        place === path ||
        place.startsWith(`${path}.`) ||
        place.startsWith(`${path}[`);
      const isNamed = paths.some((path) => isInside(path.replace(/^\./u, "")));
      expect({ place, isNamed }).toEqual({ place, isNamed: true });
    }),
    { numRuns: sized(500, 20_000) },
  );
});

function refusedAt(value: unknown): string {
  try {
    return `nowhere: ${toJson(value, "It")}`;
  } catch (error) {
    if (!(error instanceof InvalidOutputError)) throw error;
    return error.cause instanceof UnfitValueError ? error.cause.path : error.message;
  }
}
